//! The pipeline as a simulation with a clock: at each moment in which something ends, whatever can start starts.
//! Sizes and durations are taken from the run; starts and offsets are found anew, the latter by looking at all buffers.

use super::super::{Claim, Parameters};
use std::collections::BTreeMap;

struct Buffer {
    memory: u32,
    image: u32,
    offset: u32,
    amount: u32,
}

/// Start and offset in the memory of each task.
pub(super) fn simulate(
    parameters: &Parameters,
    tasks: &BTreeMap<(u32, u8), Claim>,
) -> BTreeMap<(u32, u8), (i64, u32)> {
    let stages = parameters.tasks as u8;
    // stage 1 + i is in memory 1 + k or a later one where i / (tasks - 1) is at least k / (memories - 1)
    let memory = |stage: u8| {
        let at = u32::from(stage) + 1;
        let begun =
            |k: &u32| at >= 2 && (at - 2) * (parameters.memories - 1) >= k * (parameters.tasks - 1);
        (0..parameters.memories - 1).filter(begun).count() as u32
    };
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut next_image = vec![0_u32; stages.into()];
    let mut running: Vec<Option<(i64, u32)>> = vec![None; stages.into()];
    let mut done: BTreeMap<(u32, u8), i64> = BTreeMap::new();
    let mut started = BTreeMap::new();
    let mut now = 0;
    loop {
        for stage in (0..stages).rev() {
            let image = next_image[usize::from(stage)];
            let is_busy = running[usize::from(stage)].is_some();
            let has_input = stage == 0 || done.contains_key(&(image, stage - 1));
            if image == parameters.images || is_busy || !has_input {
                continue;
            }
            let claim = tasks[&(image, stage)];
            let here = memory(stage);
            let own = buffers
                .iter()
                .find(|b| b.memory == here && b.image == image);
            let offset = match own {
                Some(buffer) => buffer.offset,
                None => {
                    let place = (0..=parameters.capacity - claim.amount)
                        .step_by(Parameters::FRAME as usize)
                        .find(|place| {
                            buffers.iter().filter(|b| b.memory == here).all(|b| {
                                b.offset + b.amount <= *place || place + claim.amount <= b.offset
                            })
                        });
                    let Some(offset) = place else { continue };
                    buffers.push(Buffer {
                        memory: here,
                        image,
                        offset,
                        amount: claim.amount,
                    });
                    offset
                }
            };
            started.insert((image, stage), (now, offset));
            running[usize::from(stage)] = Some((now + (claim.end - claim.start), image));
            next_image[usize::from(stage)] += 1;
        }
        let Some(time) = running.iter().flatten().map(|(end, _)| *end).min() else {
            return started;
        };
        now = time;
        for stage in 0..stages {
            let Some((_, image)) = running[usize::from(stage)].filter(|(end, _)| *end == now)
            else {
                continue;
            };
            running[usize::from(stage)] = None;
            done.insert((image, stage), now);
            let here = memory(stage);
            if stage + 1 == stages || memory(stage + 1) != here {
                buffers.retain(|b| b.memory != here || b.image != image);
            }
        }
    }
}
