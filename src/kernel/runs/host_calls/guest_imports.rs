//! Imports of a running guest: modules that are resolved at run time.

use crate::kernel::modules::Referenced;
use crate::kernel::runs::requests::question_args::arguments;
use crate::kernel::runs::sandbox_host::{SandboxHost, to_json};
use crate::kernel::visibility::{check_read, with_visibility};
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_sandbox::Question;

impl SandboxHost {
    pub(in crate::kernel::runs) fn require(&self, question: &Question) -> Result<String, Error> {
        let (importer, specifier): (String, String) = arguments(question)?;
        with_visibility(self.scope.admission.visibility.clone(), || self.required(&importer, &specifier))
    }

    fn required(&self, importer: &str, specifier: &str) -> Result<String, Error> {
        let modules = &self.services.modules;
        let required = modules.require(&self.graph, importer, specifier).map_err(|error| {
            // A compile error quotes the file.
            let Referenced { files, absent } = modules.named(importer, specifier);
            // A missing file is refused like an existing one, so that the caller does not learn which files exist.
            let unseen = absent.into_iter().flatten().find(|path| check_read(path).is_err());
            let refused = self.check_imported(files).err();
            let refused = refused.or_else(|| self.check_imported(vec![unseen?]).err());
            refused.unwrap_or(error)
        })?;
        let files = required.modules.iter().map(|module| module.path.clone());
        let imported: Vec<String> = files.filter(|path| self.graph.is_file(path)).collect();
        self.check_imported(imported)?;
        self.services.checks.gate_run(self.scope.admission.caller.kind, &self.graph)?;
        let modules = to_json(&required.modules)?;
        to_json(&serde_json::json!({ "path": required.path, "modules": modules }))
    }

    /// Refuses files that the guest may not run.
    fn check_imported(&self, imported: Vec<String>) -> Result<(), Error> {
        if imported.is_empty() { Ok(()) } else { self.check("exec_tool", Effect::Run, "{}", imported) }
    }
}
