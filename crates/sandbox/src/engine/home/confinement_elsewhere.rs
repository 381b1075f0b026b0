//! Systems without walls of this kind: a worker is still a process of its own, with no environment and no descriptors.

use crate::confinement::Confinement;

pub fn enter(_memory_bytes: u64) -> Confinement {
    Confinement::NONE
}

pub fn seal(confinement: Confinement) -> Confinement {
    confinement
}

pub fn make_room(_worker: u32, _memory_bytes: u64) {}
