//! Where the tiles are: main memory, devices, the buses between them, and what a full device drops.
//!
//! Each device has one bus to main memory that serves one request after the other, so the rows of its memory manager never
//! overlap. Copies between devices go through main memory.

use super::graph::{Tiles, tile_total};
use super::noise::{Micro, Noise};
use super::platform::Platform;
use super::rows::StateValue;
use super::sequencer::RawRow;
use super::simulation::Sink;
use std::collections::VecDeque;

/// Median time to copy one tile, 7.4 MB, over a bus, nanoseconds.
pub(super) const COPY: f64 = 0.62e6;
const COPY_SPREAD: f64 = 0.07;

/// Most tiles dropped at once: more would hold up the bus for longer than a device can work ahead.
const LARGEST_RECLAIM: usize = 8;

/// Main memory's place among the bits of a tile.
const MAIN: u64 = 1;

/// Something a memory manager did, for the worker that waits for it. Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) value: StateValue,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// What a request needs besides the tile: its time, the source of chance, and who wants to know.
pub(super) struct Request<'a, S> {
    /// When the tiles are asked for, nanoseconds.
    pub(super) now: i64,
    pub(super) noise: &'a mut Noise,
    pub(super) sink: &'a mut S,
    /// What is done for it is appended here.
    pub(super) pieces: &'a mut Vec<Piece>,
}

/// The memory of one device.
struct Device {
    manager: u32,
    /// When the bus has served all requests so far.
    bus_free: i64,
    /// Tiles that have room on the device, oldest first.
    resident: VecDeque<u32>,
    /// Tiles of the running and of the next task, never dropped.
    pinned: [Tiles; 2],
}

/// All memories.
pub(super) struct Memory {
    /// For each tile, the memories that hold its current value (bit 0: main memory, bit g: device g - 1).
    valid: Vec<u64>,
    /// For each tile, the devices on which it has room.
    allocated: Vec<u64>,
    /// For each tile, the devices that used it since they last looked for tiles to drop.
    touched: Vec<u64>,
    /// For each tile, when its latest copy arrives. One time for all places: a copy still on its way is rare.
    arrival: Vec<i64>,
    devices: Vec<Device>,
    /// Tiles a device has room for.
    capacity: usize,
    copies: Vec<Piece>,
}

impl Memory {
    /// All tiles in main memory. A device has room for three quarters of them, at least 32 and at most 16 GB (2170), so that
    /// all but tiny runs show a device that fills up late in the run, and large ones a device that is full.
    pub(super) fn new(tiles: u32, platform: Platform) -> Self {
        let total = tile_total(tiles);
        let devices = (0..platform.workers())
            .map(|worker| platform.node(worker))
            .filter(|&node| node > 0)
            .map(|node| Device {
                manager: platform.manager_resource(node),
                bus_free: 0,
                resident: VecDeque::new(),
                pinned: [Tiles::NONE; 2],
            })
            .collect();
        Self {
            valid: vec![MAIN; total],
            allocated: vec![0; total],
            touched: vec![0; total],
            arrival: vec![0; total],
            devices,
            capacity: (total * 3 / 4).clamp(32, 2170),
            copies: Vec::new(),
        }
    }

    /// How many of the tiles are not on the node.
    pub(super) fn missing(&self, tiles: &Tiles, node: u32) -> i64 {
        let absent = |tile: &&u32| self.valid[**tile as usize] >> node & 1 == 0;
        tiles.as_slice().iter().filter(absent).count() as i64
    }

    /// The worker of the node prepares a task.
    pub(super) fn pin(&mut self, node: u32, next: Tiles) {
        if let Some(device) = self.device(node) {
            device.pinned[1] = next;
        }
    }

    /// The worker of the node begins a task, which is no longer the next one.
    pub(super) fn pin_running(&mut self, node: u32, running: Tiles) {
        if let Some(device) = self.device(node) {
            device.pinned = [running, Tiles::NONE];
        }
    }

    /// A task on the node has rewritten the tile: all other copies are out of date.
    pub(super) fn rewrite(&mut self, tile: u32, node: u32) {
        self.valid[tile as usize] = 1 << node;
    }

    fn device(&mut self, node: u32) -> Option<&mut Device> {
        self.devices.get_mut((node as usize).checked_sub(1)?)
    }

    /// Requests the tiles on a node and says when the last one is there, not before the time of the request.
    pub(super) fn fetch_all(
        &mut self,
        tiles: &Tiles,
        node: u32,
        request: &mut Request<'_, impl Sink>,
    ) -> i64 {
        let mut arrival = request.now;
        for &tile in tiles.as_slice() {
            if node > 0 {
                self.touched[tile as usize] |= 1 << node;
                self.bring(tile, 0, node, request);
            }
            self.bring(tile, node, node, request);
            arrival = arrival.max(self.arrival[tile as usize]);
        }
        arrival
    }

    /// One hop: to main memory from any device, or from main memory to a device. Nothing to do when `wanted`, where the
    /// tile is to end up, or `node` holds it.
    fn bring(&mut self, tile: u32, node: u32, wanted: u32, request: &mut Request<'_, impl Sink>) {
        let place = tile as usize;
        let valid = self.valid[place];
        if valid >> wanted & 1 == 1 || valid >> node & 1 == 1 {
            return;
        }
        // the bus used is that of the device at either end
        let bus = if node == 0 {
            valid.trailing_zeros()
        } else {
            node
        };
        if node > 0 {
            self.make_room(tile, node, request);
        }
        let earliest = request.now.max(self.arrival[place]);
        let Some(device) = self.device(bus) else {
            return;
        };
        let start = device.bus_free.max(earliest);
        let end = start + request.noise.log_normal(COPY, COPY_SPREAD);
        device.bus_free = end;
        let manager = device.manager;
        self.valid[place] |= 1 << node;
        self.arrival[place] = end;
        let piece = Piece {
            value: StateValue::DriverCopy,
            start,
            end,
        };
        request.pieces.push(piece);
        request.sink.row(manager_row(manager, piece, 0));
    }

    /// Room for a tile on a device that has none for it yet; the manager drops others when the device is full.
    fn make_room(&mut self, tile: u32, node: u32, request: &mut Request<'_, impl Sink>) {
        if self.allocated[tile as usize] >> node & 1 == 1 {
            return;
        }
        self.allocated[tile as usize] |= 1 << node;
        let capacity = self.capacity;
        let Some(device) = self.device(node) else {
            return;
        };
        let full = device.resident.len() >= capacity;
        device.resident.push_back(tile);
        device.bus_free = device.bus_free.max(request.now);
        if full {
            self.reclaim(tile, node, request);
        }
        let Some(device) = self.device(node) else {
            return;
        };
        let start = device.bus_free;
        let end = start + request.noise.micro(Micro::ALLOCATE);
        device.bus_free = end;
        let piece = Piece {
            value: StateValue::Allocating,
            start,
            end,
        };
        request.pieces.push(piece);
        request.sink.row(manager_row(device.manager, piece, 0));
    }

    /// Drops a few tiles, the oldest that were not used since the last time (so the panel stays); those that have
    /// their current value nowhere else are copied to main memory first, and these copies are nested in the reclaiming.
    fn reclaim(&mut self, fetched: u32, node: u32, request: &mut Request<'_, impl Sink>) {
        let Some(device) = self.devices.get_mut(node as usize - 1) else {
            return;
        };
        let bit = 1u64 << node;
        let start = device.bus_free;
        let mut cursor = start + request.noise.micro(Micro::RECLAIM);
        let mut copies = std::mem::take(&mut self.copies);
        let mut left = (self.capacity / 16).min(LARGEST_RECLAIM);
        // each resident tile is looked at twice at most, so that pinned ones cannot make this endless
        for _ in 0..2 * device.resident.len() {
            if left == 0 {
                break;
            }
            let Some(tile) = device.resident.pop_front() else {
                break;
            };
            let is_pinned = tile == fetched
                || device
                    .pinned
                    .iter()
                    .any(|tiles| tiles.as_slice().contains(&tile));
            let place = tile as usize;
            if is_pinned || self.touched[place] & bit != 0 {
                self.touched[place] &= !bit;
                device.resident.push_back(tile);
                continue;
            }
            left -= 1;
            if self.valid[place] == bit {
                let end = cursor + request.noise.log_normal(COPY, COPY_SPREAD);
                copies.push(Piece {
                    value: StateValue::DriverCopy,
                    start: cursor,
                    end,
                });
                self.valid[place] |= MAIN;
                self.arrival[place] = self.arrival[place].max(end);
                cursor = end;
            }
            self.valid[place] &= !bit;
            self.allocated[place] &= !bit;
        }
        device.bus_free = cursor;
        let manager = device.manager;
        let whole = Piece {
            value: StateValue::Reclaiming,
            start,
            end: cursor,
        };
        request.pieces.push(whole);
        request.sink.row(manager_row(manager, whole, 0));
        for copy in copies.drain(..) {
            request.sink.row(manager_row(manager, copy, 1));
        }
        self.copies = copies;
    }
}

fn manager_row(manager: u32, piece: Piece, depth: u8) -> RawRow {
    RawRow {
        start: piece.start,
        end: piece.end,
        resource: manager,
        value: piece.value,
        depth,
        task: None,
    }
}
