//! The V8 startup snapshot: a realm after its bootstrap scripts, so that a new realm is a copy.

use super::bootstrap_scripts::{BOOTSTRAP, ENTRY, LAZY, Stage};
use super::platform;
use super::prepared_stack::member;
use super::script_text::without_comments;
use crate::engine::lazy::{STAGES, evaluate};
use crate::engine::natives::{external_references, native_object, provide_value};
use parking_lot::Mutex;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

/// Errors of creating a snapshot; each means a broken build.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("the realm's bootstrap script failed")]
    Bootstrap,
    #[error("V8 could not create a snapshot")]
    Blob,
    #[error("the snapshot could not be written")]
    Write,
}

/// A snapshot and its identifying hash.
#[derive(Clone)]
pub struct Snapshot {
    pub blob: v8::StartupData,
    pub seal: u64,
}

/// Loads the snapshot from a file.
pub fn load_from(path: &Path) -> Result<Snapshot, SnapshotError> {
    load(read_file(path))
}

/// The bytes of the snapshot file beside the library; empty if it cannot be read. Does not need V8.
pub fn read_file(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}

/// The snapshot in a file's bytes; created again if they are damaged or belong to another V8.
pub fn load(file: Vec<u8>) -> Result<Snapshot, SnapshotError> {
    platform::ensure_initialised();
    // Creating a snapshot while other isolates of the process run is not safe, so it happens once and first.
    static MADE: Mutex<Option<(Vec<u8>, u64)>> = Mutex::new(None);
    let mut made = MADE.lock();
    if let Some((bytes, seal)) = made.as_ref() {
        return Ok(Snapshot { blob: bytes.clone().into(), seal: *seal });
    }
    if let Some(snapshot) = open(file) {
        return Ok(snapshot);
    }
    let blob = create()?;
    let seal = seal(&blob);
    *made = Some((blob.to_vec(), seal));
    Ok(Snapshot { blob, seal })
}

/// Creates a snapshot and writes it to `path`.
pub fn write(path: &Path) -> Result<(), SnapshotError> {
    platform::ensure_initialised();
    let blob = create()?;
    let mut bytes = blob.to_vec();
    bytes.extend(seal(&blob).to_le_bytes());
    std::fs::write(path, bytes).map_err(|_| SnapshotError::Write)
}

/// V8 checks the version only, so a damaged file is recognised by the hash at its end.
fn open(mut bytes: Vec<u8>) -> Option<Snapshot> {
    let (blob, expected) = bytes.split_last_chunk::<8>()?;
    let seal = seal(blob);
    if seal.to_le_bytes() != *expected {
        return None;
    }
    bytes.truncate(bytes.len() - 8);
    let data = v8::StartupData::from(bytes);
    data.is_valid().then_some(Snapshot { blob: data, seal })
}

/// A hash over the snapshot and all its inputs.
fn seal(blob: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(platform::engine_version().as_bytes());
    let lazy = LAZY.iter().flat_map(|stage| stage.scripts.iter().chain(stage.names).chain([&stage.key]));
    let named = STAGES.iter().flat_map(|stage| stage.names);
    for part in BOOTSTRAP.iter().chain(lazy).chain(named).chain(&platform::FLAGS).chain([&ENTRY]) {
        hasher.write(part.as_bytes());
    }
    hasher.write(blob);
    hasher.finish()
}

fn create() -> Result<v8::StartupData, SnapshotError> {
    let mut creator = v8::Isolate::snapshot_creator(Some(external_references().into()), None);
    let built = build_realm(&mut creator).is_some();
    // The creator must create its blob in any case: dropping it without one aborts the process.
    let blob = creator.create_blob(v8::FunctionCodeHandling::Keep);
    if !built {
        return Err(SnapshotError::Bootstrap);
    }
    blob.ok_or(SnapshotError::Blob)
}

/// Runs the bootstrap scripts in a new context and makes that context the default one of the snapshot.
fn build_realm(creator: &mut v8::OwnedIsolate) -> Option<()> {
    v8::scope!(let scope, creator);
    let context = v8::Context::new(scope, v8::ContextOptions::default());
    // The creator must stay usable after a failure, so the context is set before a script can throw.
    scope.set_default_context(context);
    let scope = &mut v8::ContextScope::new(scope, context);
    let internals = v8::Object::new(scope);
    let null = v8::null(scope);
    internals.set_prototype(scope, null.into())?;
    let native = native_object(scope)?;
    drop_extras(scope, context)?;
    for script in BOOTSTRAP.into_iter().chain([ENTRY]) {
        let function = evaluate(scope, &without_comments(script))?;
        call(scope, function, &[internals.into(), native.into()])?;
    }
    for stage in &LAZY {
        add_stage(scope, context, internals, stage)?;
    }
    let global = context.global(scope);
    for name in STAGES.iter().flat_map(|stage| stage.names) {
        lazy_property(scope, global, name, v8::PropertyAttribute::DONT_ENUM)?;
    }
    let tgp = member(scope, internals, "tgp")?.try_into().ok()?;
    lazy_property(scope, tgp, "fetch", v8::PropertyAttribute::NONE)?;
    let rehearse = member(scope, internals, "rehearse")?;
    call(scope, rehearse.try_into().ok()?, &[])?;
    scope.add_context_data(context, internals);
    Some(())
}

/// Deletes V8's extras for embedders, such as its console; they are not used here.
fn drop_extras(scope: &mut v8::PinScope<'_, '_>, context: v8::Local<'_, v8::Context>) -> Option<()> {
    let extras = context.get_extras_binding_object(scope);
    let all = v8::GetPropertyNamesArgsBuilder::new().property_filter(v8::PropertyFilter::ALL_PROPERTIES).build();
    let names = extras.get_own_property_names(scope, all)?;
    for index in 0..names.length() {
        let name = names.get_index(scope, index)?;
        extras.delete(scope, name).filter(|deleted| *deleted)?;
    }
    Some(())
}

/// Adds the stage's scripts to the realm, and its globals as properties that run the scripts when first read.
fn add_stage(
    scope: &mut v8::PinScope<'_, '_>,
    context: v8::Local<'_, v8::Context>,
    internals: v8::Local<'_, v8::Object>,
    stage: &Stage,
) -> Option<()> {
    let add = member(scope, internals, "addStage")?.try_into().ok()?;
    let key = v8::String::new(scope, stage.key)?;
    let files = evaluate(scope, &files_function(stage.scripts))?;
    call(scope, add, &[key.into(), files.into()])?;
    let global = context.global(scope);
    for name in stage.names {
        lazy_property(scope, global, name, v8::PropertyAttribute::DONT_ENUM)?;
    }
    Some(())
}

/// The source of a function that returns each script's function by its number: until a stage is built, a realm holds one
/// function for it.
fn files_function(scripts: &[&str]) -> String {
    let cases: String = scripts
        .iter()
        .enumerate()
        .map(|(number, script)| {
            let text = without_comments(script);
            format!("case {number}: return (\n{}\n);", text.trim_end().trim_end_matches(';'))
        })
        .collect();
    format!("(function files(number) {{ switch (number) {{ {cases} }} }});")
}

fn lazy_property(
    scope: &mut v8::PinScope<'_, '_>,
    target: v8::Local<'_, v8::Object>,
    name: &str,
    attributes: v8::PropertyAttribute,
) -> Option<()> {
    let key = v8::String::new(scope, name)?;
    let data = v8::undefined(scope).into();
    let (reading, writing) = (v8::SideEffectType::HasSideEffect, v8::SideEffectType::HasSideEffect);
    target
        .set_lazy_data_property_with_data(scope, key.into(), provide_value, data, attributes, reading, writing)
        .filter(|set| *set)
        .map(drop)
}

fn call(
    scope: &mut v8::PinScope<'_, '_>,
    function: v8::Local<'_, v8::Function>,
    arguments: &[v8::Local<'_, v8::Value>],
) -> Option<()> {
    let receiver = v8::undefined(scope);
    function.call(scope, receiver.into(), arguments).map(drop)
}

#[cfg(test)]
mod tests {
    use super::{load, read_file, write};

    #[test]
    fn a_written_snapshot_is_read_back_and_a_damaged_one_is_recreated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tgp.snapshot");
        write(&path).unwrap();
        let written = std::fs::read(&path).unwrap();
        assert_eq!(&*load(read_file(&path)).unwrap().blob, &written[..written.len() - 8]);
        for torn in [&written[..0], &written[..100], &written[..written.len() - 1]] {
            assert!(load(torn.to_vec()).unwrap().blob.len() > 100);
        }
    }
}
