//! Source positions of compiled code, requested from the host. Only runs that read a stack need them, so source maps are never
//! sent to a worker.

use super::host_call::call_for_engine;
use crate::engine::run::{CompiledPlace, RunState, SourcePlace};
use crate::message::{HostAnswer, PLACES_QUESTION};

/// Most positions per request. A stack rarely has more distinct ones.
const MAX_PLACES: usize = 256;

/// Requests the source positions that are not known yet and stores them in the run's `places`.
pub fn learn_places<'p>(scope: &mut v8::PinScope<'_, '_>, places: impl Iterator<Item = &'p CompiledPlace>) {
    let Some(state) = scope.get_slot::<RunState>() else { return };
    let mut unknown: Vec<&CompiledPlace> = Vec::new();
    for place in places {
        if unknown.len() < MAX_PLACES && !state.places.is_known(place) && !unknown.contains(&place) {
            unknown.push(place);
        }
    }
    // Calls of a run that is to end are not answered.
    if unknown.is_empty() || state.control.cause().is_some() {
        return;
    }
    let question: Vec<_> = unknown.iter().map(|place| (&place.path, place.line, place.column)).collect();
    let limit = state.limits.call_bytes as usize;
    let Some(question) = serde_json::to_string(&question).ok().filter(|text| text.len() <= limit) else { return };
    let Some(HostAnswer::Value(json)) = call_for_engine(scope, PLACES_QUESTION, question) else { return };
    let Ok(found) = serde_json::from_str::<Vec<Option<(u32, u32)>>>(&json) else { return };
    let found = found.into_iter().map(|place| place.map(|(line, column)| SourcePlace { line, column }));
    if let Some(state) = scope.get_slot_mut::<RunState>() {
        state.places.learn(unknown.into_iter().cloned().zip(found).collect());
    }
}

/// The source position, if it was requested before.
pub fn known_place(scope: &mut v8::PinScope<'_, '_>, place: &CompiledPlace) -> Option<SourcePlace> {
    scope.get_slot::<RunState>()?.places.get(place)
}
