//! Replaces `import.meta`, which is not allowed in a function body, by an object with the file's address in the sandbox.

use swc_core::common::{DUMMY_SP, SyntaxContext};
use swc_core::ecma::ast::{
    Expr, Ident, IdentName, KeyValueProp, Lit, MetaPropKind, ObjectLit, Prop, PropName, PropOrSpread,
};
use swc_core::ecma::visit::{VisitMut, VisitMutWith};

use crate::imports::import_target::TOOLS;

/// Characters that are not percent-encoded in a URL.
const PLAIN: &[u8] = b"-._~/@+,=!()";

pub(super) struct ImportMeta<'a> {
    /// Path relative to the root, with `/`.
    pub(super) path: &'a str,
    pub(super) unresolved: SyntaxContext,
}

impl ImportMeta<'_> {
    fn object(&self) -> Expr {
        let global = |name: &str| Expr::Ident(Ident::new(name.into(), DUMMY_SP, self.unresolved));
        let members = [
            ("url", Expr::Lit(Lit::Str(address_of(self.path).into()))),
            ("filename", global("__filename")),
            ("dirname", global("__dirname")),
        ];
        let props = members.map(|(name, value)| {
            let key = PropName::Ident(IdentName::new(name.into(), DUMMY_SP));
            PropOrSpread::Prop(Box::new(Prop::KeyValue(KeyValueProp { key, value: Box::new(value) })))
        });
        Expr::Object(ObjectLit { span: DUMMY_SP, props: props.into() })
    }
}

impl VisitMut for ImportMeta<'_> {
    fn visit_mut_expr(&mut self, node: &mut Expr) {
        if let Expr::MetaProp(meta) = node
            && meta.kind == MetaPropKind::ImportMeta
        {
            *node = self.object();
        } else {
            node.visit_mut_children_with(self);
        }
    }
}

/// The URL of a file, with the path that `tgp.read_file` uses: the tools folder is `/lib`.
fn address_of(path: &str) -> String {
    let inside = path.strip_prefix(TOOLS).filter(|rest| rest.starts_with('/'));
    let path = inside.map_or_else(|| format!("/{path}"), |rest| format!("/lib{rest}"));
    let mut address = "file://".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || PLAIN.contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::address_of;

    #[test]
    fn addresses_map_the_tools_folder_to_lib() {
        assert_eq!(address_of("tools/a/b.ts"), "file:///lib/a/b.ts");
        assert_eq!(address_of("tools.ts"), "file:///tools.ts");
        assert_eq!(address_of("tools/ä b?.ts"), "file:///lib/%C3%A4%20b%3F.ts");
    }
}
