//! Block coverage of a run, recorded by V8.
//!
//! Uses the inspector, which is created for the run and dropped after it; the guest cannot reach it.

use crate::message::CoveredScript;
use serde::Deserialize;
use std::cell::RefCell;
use std::rc::Rc;
use v8::inspector::{
    Channel, ChannelImpl, StringBuffer, StringView, V8Inspector, V8InspectorClient, V8InspectorClientImpl,
    V8InspectorClientTrustLevel, V8InspectorSession,
};

/// The only context group.
const GROUP: i32 = 1;
/// The last response of the session.
type Answer = Rc<RefCell<String>>;

/// Records coverage in a context.
pub struct CountedCode {
    // Dropped first: it belongs to the inspector.
    session: V8InspectorSession,
    inspector: V8Inspector,
    answer: Answer,
}

struct Client;

impl V8InspectorClientImpl for Client {}

struct Answers(Answer);

impl ChannelImpl for Answers {
    fn send_response(&self, _call: i32, message: v8::UniquePtr<StringBuffer>) {
        *self.0.borrow_mut() = message.as_ref().map(|text| text.string().to_string()).unwrap_or_default();
    }

    fn send_notification(&self, _message: v8::UniquePtr<StringBuffer>) {}

    fn flush_protocol_notifications(&self) {}
}

#[derive(Deserialize)]
struct Taken {
    result: TakenScripts,
}

#[derive(Deserialize)]
struct TakenScripts {
    result: Vec<TakenScript>,
}

#[derive(Deserialize)]
struct TakenScript {
    url: String,
    functions: Vec<TakenFunction>,
}

#[derive(Deserialize)]
struct TakenFunction {
    ranges: Vec<TakenRange>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TakenRange {
    start_offset: u32,
    end_offset: u32,
    count: u32,
}

impl CountedCode {
    /// Starts recording.
    pub fn begin(isolate: &mut v8::Isolate) -> Self {
        let inspector = V8Inspector::create(isolate, V8InspectorClient::new(Box::new(Client)));
        let answer = Answer::default();
        let channel = Channel::new(Box::new(Answers(Rc::clone(&answer))));
        let session = inspector.connect(GROUP, channel, StringView::empty(), V8InspectorClientTrustLevel::FullyTrusted);
        let counted = Self { session, inspector, answer };
        counted.say(r#"{"id":1,"method":"Profiler.enable"}"#);
        counted
            .say(r#"{"id":2,"method":"Profiler.startPreciseCoverage","params":{"callCount":false,"detailed":true}}"#);
        counted
    }

    /// Adds the context to the recording.
    pub fn watch(&self, context: v8::Local<'_, v8::Context>) {
        self.inspector.context_created(context, GROUP, StringView::empty(), StringView::empty());
    }

    /// Ends recording; the coverage of the modules that `is_wanted` accepts.
    pub fn end(&self, context: v8::Local<'_, v8::Context>, is_wanted: impl Fn(&str) -> bool) -> Vec<CoveredScript> {
        self.say(r#"{"id":3,"method":"Profiler.takePreciseCoverage"}"#);
        let taken = serde_json::from_str::<Taken>(&self.answer.borrow());
        self.inspector.context_destroyed(context);
        let scripts = taken.map(|taken| taken.result.result).unwrap_or_default();
        let wanted = scripts.into_iter().filter(|script| is_wanted(&script.url));
        wanted
            .map(|script| {
                let ranges = script.functions.into_iter().flat_map(|function| function.ranges);
                let ranges = ranges.map(|range| (range.start_offset, range.end_offset, range.count > 0)).collect();
                CoveredScript { path: script.url, ranges }
            })
            .collect()
    }

    fn say(&self, message: &str) {
        self.session.dispatch_protocol_message(StringView::from(message.as_bytes()));
    }
}
