//! One frame of a guest's stack, with positions in its source.

use crate::engine::lazy::SCRIPT_NAME;
use crate::engine::natives::known_place;
use crate::engine::run::{CompiledPlace, SourcePlace};

/// Longest text of a frame that is copied out of V8. A guest can define function names of any length.
const MAX_FRAME: usize = 1 << 10;
/// Packages are bundles: positions in them have no meaning for users.
const PACKAGES: &str = "node_modules/";

/// A frame that is visible to the guest.
pub struct StackFrame<'s> {
    site: v8::Local<'s, v8::Object>,
    /// Its position in the compiled code; `None` for built-in functions.
    place: Option<CompiledPlace>,
}

/// The origin of a frame's code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Guest,
    Ours,
    /// Of V8, like `Array.map`: visible if its caller is.
    BuiltIn,
}

/// The frames that are visible to the guest, newest first.
pub fn guest_frames<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    sites: v8::Local<'s, v8::Array>,
) -> Option<Vec<StackFrame<'s>>> {
    let ours = v8::String::new(scope, SCRIPT_NAME)?;
    let mut frames = Vec::with_capacity(sites.length() as usize);
    let mut caller = Origin::Guest;
    for index in (0..sites.length()).rev() {
        let site: v8::Local<'_, v8::Object> = sites.get_index(scope, index)?.try_into().ok()?;
        let file = call_method(scope, site, "getFileName")?;
        let origin = match file.is_string() {
            false => Origin::BuiltIn,
            true if file.strict_equals(ours.into()) => Origin::Ours,
            true => Origin::Guest,
        };
        if origin != Origin::BuiltIn {
            caller = origin;
        }
        if caller == Origin::Guest {
            let place = match origin {
                Origin::Guest => place_of(scope, site, file),
                Origin::Ours | Origin::BuiltIn => None,
            };
            if origin == Origin::BuiltIn || place.is_some() {
                frames.push(StackFrame { site, place });
            }
        }
    }
    frames.reverse();
    Some(frames)
}

impl StackFrame<'_> {
    /// Its position in the compiled code, if there is a source.
    pub fn place(&self) -> Option<&CompiledPlace> {
        self.place.as_ref().filter(|place| !place.path.starts_with(PACKAGES))
    }
}

impl<'s> StackFrame<'s> {
    /// The frame as a line of a stack; `None` for code without a source.
    pub fn text(&self, scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::String>> {
        let line: v8::Local<'_, v8::String> = call_method(scope, self.site, "toString")?.try_into().ok()?;
        let Some(place) = &self.place else { return Some(line) };
        let source = known_place(scope, place)?;
        let line = if line.length() > MAX_FRAME { String::new() } else { line.to_rust_string_lossy(scope) };
        v8::String::new(scope, &placed(&line, place, source))
    }

    /// The frame as passed to `prepareStack`: V8's call site, its text, line and column. `None` for code of the tool that is
    /// not in its source.
    pub fn for_hook(&self, scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::Value>> {
        let at = match self.place() {
            Some(place) => Some(known_place(scope, place)?),
            None => None,
        };
        // Always four members: missing ones would be looked up on prototypes that the guest can change.
        let mut members = [v8::undefined(scope).into(); 4];
        members[0] = self.site.into();
        if let Some(at) = at {
            members[1] = self.text(scope)?.into();
            members[2] = v8::Integer::new_from_unsigned(scope, at.line).into();
            members[3] = v8::Integer::new_from_unsigned(scope, at.column).into();
        }
        Some(v8::Array::new_with_elements(scope, &members).into())
    }
}

/// The line with the position in the source instead of that in the compiled code.
fn placed(line: &str, place: &CompiledPlace, source: SourcePlace) -> String {
    let compiled = format!("{}:{}:{}", place.path, place.line, place.column);
    let (rest, end) = line.strip_suffix(')').map_or((line, ""), |rest| (rest, ")"));
    match rest.strip_suffix(&compiled) {
        Some(before) => format!("{before}{}:{}:{}{end}", place.path, source.line, source.column),
        None => format!("{}:{}:{}", place.path, source.line, source.column),
    }
}

fn place_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    site: v8::Local<'s, v8::Object>,
    file: v8::Local<'s, v8::Value>,
) -> Option<CompiledPlace> {
    let line = call_method(scope, site, "getLineNumber")?.uint32_value(scope)?;
    let column = call_method(scope, site, "getColumnNumber")?.uint32_value(scope)?;
    Some(CompiledPlace { path: file.to_rust_string_lossy(scope), line, column })
}

/// Calls a method of one of V8's call sites. Guests never get one, so its methods are unchanged.
fn call_method<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    site: v8::Local<'s, v8::Object>,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let name = v8::String::new(scope, name)?;
    let method: v8::Local<'_, v8::Function> = site.get(scope, name.into())?.try_into().ok()?;
    method.call(scope, site.into(), &[])
}

#[cfg(test)]
mod tests {
    use super::{CompiledPlace, SourcePlace, placed};

    #[test]
    fn a_line_gets_the_source_position_and_keeps_the_function_name() {
        let place = CompiledPlace { path: "tools/a.ts".to_owned(), line: 12, column: 7 };
        let source = SourcePlace { line: 3, column: 5 };
        for (line, expected) in [
            ("tools/a.ts:12:7", "tools/a.ts:3:5"),
            ("run (tools/a.ts:12:7)", "run (tools/a.ts:3:5)"),
            ("async tools/a.ts:12:7", "async tools/a.ts:3:5"),
            ("new (odd) (tools/a.ts:12:7)", "new (odd) (tools/a.ts:3:5)"),
            ("", "tools/a.ts:3:5"),
            ("elsewhere:1:1", "tools/a.ts:3:5"),
        ] {
            assert_eq!(placed(line, &place, source), expected);
        }
    }
}
