//! The state of the current run, for native functions.

use super::code_cache::CodeCache;
use super::realm::Realm;
use super::rejections::Rejections;
use super::source_places::{FunctionTexts, SourcePlaces};
use super::timers::Timers;
use crate::engine::control::{EngineControl, Inbox};
use crate::engine::memory::MemoryBudget;
use crate::limits::{LOG_LINE_BYTES, RunLimits};
use crate::log_level::LogLevel;
use crate::message::{Event, RunCommand};
use crate::module::{Code, Module, preloads};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::{CallId, RunId};

/// Stored in the isolate's slot during the run.
pub struct RunState {
    pub run: RunId,
    pub control: Arc<EngineControl>,
    pub inbox: Arc<dyn Inbox>,
    pub budget: Arc<MemoryBudget>,
    pub context: v8::Global<v8::Context>,
    /// Creates a lazy global of the realm.
    pub provide: v8::Global<v8::Function>,
    /// The object that the bootstrap scripts have filled.
    pub internals: v8::Global<v8::Object>,
    modules: Arc<Vec<Module>>,
    /// Modules that were required with a computed specifier.
    late: Vec<Module>,
    /// The callback for the answer of each open host call.
    pub waiting: HashMap<CallId, v8::Global<v8::Function>>,
    pub timers: Timers,
    pub kept: NativeHandles,
    pub began: Instant,
    pub rejections: Rejections,
    pub cache: CodeCache,
    /// Source positions of compiled code, as far as they were requested.
    pub places: SourcePlaces,
    pub texts: FunctionTexts,
    pub limits: RunLimits,
    /// Set if the guest's result cannot be serialised.
    pub refusal: Option<String>,
    package_load_warned: bool,
    log_left: usize,
    log_cut: bool,
    last_call: u32,
}

impl RunState {
    pub fn new(
        command: &RunCommand,
        realm: &Realm,
        control: Arc<EngineControl>,
        inbox: Arc<dyn Inbox>,
        budget: Arc<MemoryBudget>,
    ) -> Self {
        Self {
            run: command.run,
            control,
            inbox,
            budget,
            context: realm.context.clone(),
            provide: realm.provide.clone(),
            internals: realm.internals.clone(),
            modules: Arc::clone(&command.modules),
            late: Vec::new(),
            waiting: HashMap::new(),
            timers: Timers::default(),
            kept: NativeHandles::default(),
            began: Instant::now(),
            rejections: Rejections::default(),
            cache: CodeCache::default(),
            places: SourcePlaces::default(),
            texts: FunctionTexts::default(),
            limits: command.limits,
            refusal: None,
            package_load_warned: false,
            log_left: command.limits.log_bytes as usize,
            log_cut: false,
            last_call: 0,
        }
    }

    /// The module at `path`. A linear search, because a run has few modules.
    pub fn module(&self, path: &str) -> Option<&Module> {
        self.modules.iter().chain(&self.late).find(|module| module.path == path)
    }

    /// The modules to load before the first line of the tool at `entry`.
    pub fn preloads(&self, entry: &str) -> Vec<&str> {
        preloads(&self.modules, entry)
    }

    /// The text of a module.
    pub fn code<'a>(&'a self, module: &'a Module) -> Option<&'a Arc<str>> {
        match &module.code {
            Code::Text(text) => Some(text),
            Code::Package(id) => self.cache.parcel(*id).map(|parcel| &parcel.code),
        }
    }

    /// Records the function of a module that was compiled without bytecode of this worker.
    pub fn note_compiled(&mut self, path: &str, function: v8::Global<v8::Function>) {
        let code = self.module(path).and_then(|module| self.code(module)).map(Arc::clone);
        if let Some(code) = code {
            self.cache.note(path, code, function);
        }
    }

    /// Adds modules to those of the run's request.
    pub fn add_modules(&mut self, modules: Vec<Module>) {
        for module in modules {
            if self.module(&module.path).is_none() {
                self.late.push(module);
            }
        }
    }

    /// Logs a warning, once, when package loads have used more than half of their CPU time.
    pub fn warn_of_package_load(&mut self, used: Duration) {
        let limit = self.limits.package_load;
        if self.package_load_warned || used <= limit / 2 {
            return;
        }
        self.package_load_warned = true;
        let text = format!(
            "Loading the packages of this run took more than half of the {} ms of CPU time that it may take (sandbox.packageLoadMs). Import a smaller part of them, such as a subpath.",
            limit.as_millis()
        );
        self.log(LogLevel::Warn, text);
    }

    pub fn next_call(&mut self) -> CallId {
        self.last_call = self.last_call.wrapping_add(1);
        CallId(self.last_call)
    }

    /// Longest text of the next log line, in bytes.
    pub fn log_room(&self) -> usize {
        self.log_left.saturating_sub(LOG_LINE_BYTES)
    }

    /// Sends a log line, truncated at the run's log limit. The truncation is marked once.
    pub fn log(&mut self, level: LogLevel, mut text: String) {
        if self.log_cut {
            return;
        }
        if text.len() + LOG_LINE_BYTES > self.log_left {
            text.truncate(text.floor_char_boundary(self.log_room()));
            text.push_str("… [log truncated: the limit of sandbox.logBytes is reached]");
            self.log_cut = true;
        }
        self.log_left = self.log_left.saturating_sub(text.len() + LOG_LINE_BYTES);
        self.control.emit_of(self.run, Event::Log { run: self.run, level, text });
    }
}

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
