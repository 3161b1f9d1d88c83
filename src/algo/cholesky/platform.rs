//! The machine: which resources there are, how fast their kernels are, and when the run starts up.

use super::Parameters;
use super::graph::Kernel;
use super::rows::{ResourceRow, StateType};

/// Index of the program's container, the root.
pub(super) const PROGRAM: u32 = 0;
/// Index of the scheduler's container.
pub(super) const SCHEDULER: u32 = 1;
const MAIN_MEMORY: u32 = 2;
const FIRST_CPU: u32 = 4;
/// Containers of one device: memory node, memory manager, worker.
const PER_GPU: u32 = 3;

/// Time between two submissions of the application, nanoseconds; as in StarPU traces, far below the time of a task.
const SUBMISSION_PERIOD: i64 = 4_200;

/// Kind of worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Cpu,
    Cuda,
}

/// Median duration of a kernel in nanoseconds: a core does some 25 GFlop/s of gemm, a device 440.
///
/// potrf has too little parallelism for a device, so a core is as good.
pub(super) fn kernel_median(kernel: Kernel, class: Class) -> f64 {
    match (class, kernel) {
        (Class::Cpu, Kernel::Potrf) => 16.5e6,
        (Class::Cpu, Kernel::Trsm) => 40.0e6,
        (Class::Cpu, Kernel::Syrk) => 38.0e6,
        (Class::Cpu, Kernel::Gemm) => 71.0e6,
        (Class::Cuda, Kernel::Potrf) => 22.0e6,
        (Class::Cuda, Kernel::Trsm) => 5.6e6,
        (Class::Cuda, Kernel::Syrk) => 2.5e6,
        (Class::Cuda, Kernel::Gemm) => 4.0e6,
    }
}

/// Spread of a kernel's duration (standard deviation of its logarithm): cores share caches and memory, devices do not.
pub(super) fn kernel_spread(class: Class) -> f64 {
    match class {
        Class::Cpu => 0.055,
        Class::Cuda => 0.018,
    }
}

/// Names and numbers of the resources of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Platform {
    cpus: u32,
    gpus: u32,
}

impl Platform {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            cpus: parameters.cpus,
            gpus: parameters.gpus,
        }
    }

    /// Number of workers: the cores, then the devices.
    pub(super) fn workers(self) -> u32 {
        self.cpus + self.gpus
    }

    /// Kind of a worker.
    pub(super) fn class(self, worker: u32) -> Class {
        if worker < self.cpus {
            Class::Cpu
        } else {
            Class::Cuda
        }
    }

    /// Memory node of a worker: 0 is main memory, device g has node g + 1.
    pub(super) fn node(self, worker: u32) -> u32 {
        (worker + 1).saturating_sub(self.cpus)
    }

    /// Resource index of a worker.
    pub(super) fn worker_resource(self, worker: u32) -> u32 {
        match worker.checked_sub(self.cpus) {
            None => FIRST_CPU + worker,
            Some(gpu) => self.gpu_resource(gpu) + 2,
        }
    }

    /// Resource index of the manager of a device's memory.
    pub(super) fn manager_resource(self, node: u32) -> u32 {
        self.gpu_resource(node - 1) + 1
    }

    fn gpu_resource(self, gpu: u32) -> u32 {
        FIRST_CPU + self.cpus + PER_GPU * gpu
    }

    /// Type of the states of a resource.
    pub(super) fn state_type(self, resource: u32) -> StateType {
        match resource.checked_sub(FIRST_CPU + self.cpus) {
            Some(offset) if offset % PER_GPU == 1 => StateType::MemoryNode,
            _ => StateType::Worker,
        }
    }

    /// All resources by index.
    pub(super) fn resources(self) -> Vec<ResourceRow> {
        let mut rows: Vec<ResourceRow> = Vec::new();
        let mut add = |name: String, parent: Option<u32>, resource_type: &'static str| {
            let path = match parent.and_then(|index| rows.get(index as usize)) {
                Some(parent) => format!("{}/{name}", parent.path),
                None => name.clone(),
            };
            rows.push(ResourceRow {
                path,
                name,
                parent,
                resource_type,
            });
        };
        add("p".to_owned(), None, "Program");
        add("scheduler".to_owned(), Some(PROGRAM), "Scheduler State");
        add("MEMNODE0".to_owned(), Some(PROGRAM), "Memory Node");
        add(
            "MEMMANAGER0".to_owned(),
            Some(MAIN_MEMORY),
            "Memory Manager",
        );
        for cpu in 0..self.cpus {
            add(format!("CPU{cpu}"), Some(MAIN_MEMORY), "Worker");
        }
        for gpu in 0..self.gpus {
            let node = self.gpu_resource(gpu);
            add(format!("MEMNODE{}", gpu + 1), Some(PROGRAM), "Memory Node");
            add(
                format!("MEMMANAGER{}", gpu + 1),
                Some(node),
                "Memory Manager",
            );
            add(format!("CUDA{gpu}_0"), Some(node), "Worker");
        }
        rows
    }
}

/// The application's thread, which submits task after task without waiting for any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Submission {
    /// Start of profiling, nanoseconds.
    pub(super) profiling: i64,
    /// Start of the factorisation, nanoseconds.
    pub(super) begin: i64,
}

impl Submission {
    /// When the job of this number (from 1) is submitted, nanoseconds.
    pub(super) fn time(self, job: u64) -> i64 {
        // at most 1.3e9 jobs, see `Parameters::MAX_TILES`
        self.begin + SUBMISSION_PERIOD * i64::try_from(job).unwrap_or(0)
    }
}
