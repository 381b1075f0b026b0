//! Native objects of a run by number, kept until they are closed or the run is over.

use std::any::Any;
use std::collections::HashMap;

#[derive(Default)]
pub struct NativeHandles {
    last: u32,
    things: HashMap<u32, Box<dyn Any>>,
}

impl NativeHandles {
    /// Stores an object and returns its number.
    pub fn keep(&mut self, thing: Box<dyn Any>) -> u32 {
        self.last = self.last.wrapping_add(1);
        self.things.insert(self.last, thing);
        self.last
    }

    pub fn get_mut<Thing: 'static>(&mut self, id: u32) -> Option<&mut Thing> {
        self.things.get_mut(&id)?.downcast_mut()
    }

    pub fn forget(&mut self, id: u32) {
        self.things.remove(&id);
    }
}
