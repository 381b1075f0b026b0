//! TypeScript declarations of the JSON that crosses to JavaScript, generated from the Rust types by ts-rs.
//!
//! ts-rs reads `serde` attributes, so names match the wire, and it has no run-time cost: the types derive it for tests
//! only. (specta 2 is still a release candidate; napi objects would replace the JSON encoding of results.) A test
//! writes the file, because tests compile the crate anyway.

use super::background::Lane;
use super::binding_kernel::Booted;
use super::binding_reads::{Answer, Reads, each_read};
use crate::kernel::{
    Allowed, Bundled, CallVerdict, Caller, CommitNote, Config, DatabaseOptions, DeciderAnswer, Dialect, EmbedReply,
    ExecOptions, ExecValue, FileChangeCall, GraphQuestion, Kernel, LedgerQuery, MemoryReport, OfferQuery,
    ParameterShape, PolicySource, QueryLimits, RootFiles, Runnable, SearchQuery, SentRequest, SqlError, SqlOptions,
    SqlPolicy, Stats, TestFileReport, TypesReply, WriteDone, ask_remote, classify, narrowed_token, unified_diff,
    verify_export,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use tgp_base::call::CallerKind;
use tgp_base::error::Error;
use ts_rs::{TS, TypeVisitor};

fn crossing() -> String {
    let mut types = Types::new();
    let kernel = kernel_answers(&mut types);
    let mut reads = Answers::new("KernelReads", &mut types);
    each_read(&mut reads);
    let reads = reads.text;
    let vfs = vfs_answers(&mut types);
    let sql = sql_answers(&mut types);
    let module = module_answers(&mut types);
    // Types that JavaScript sends.
    types.add::<Caller>();
    types.add::<CallerKind>();
    types.add::<LedgerQuery>();
    types.add::<CommitNote>();
    types.add::<ExecOptions>();
    types.add::<FileChangeCall>();
    types.add::<SearchQuery>();
    types.add::<GraphQuestion>();
    types.add::<DeciderAnswer>();
    types.add::<SentRequest<'static>>();
    types.add::<TestFileReport>();
    types.add::<DatabaseOptions>();
    types.add::<QueryLimits>();
    types.add::<ParameterShape>();
    types.add::<Dialect>();
    types.add::<EmbedReply>();
    types.add::<TypesReply>();
    types.add::<Bundled>();
    let declared: String = types.declared.values().map(|text| format!("\nexport {text}\n")).collect();
    format!(
        "/* Made from the Rust types by a test, `src/binding/crossing.rs`. Do not edit. */\n{declared}\
         {kernel}{reads}{vfs}{sql}{module}"
    )
}

/// Each method's answer has the return type of its function here; none of the functions is called.
fn kernel_answers(types: &mut Types) -> String {
    let mut answers = Answers::new("KernelAnswers", types);
    answers.add_type::<Booted<'static>>("boot");
    answers.add_write("writeFile", |kernel, done| kernel.files().write_file("", "", &CommitNote::default(), done));
    answers.add_write("patchFile", |kernel, done| {
        kernel.files().patch_file("", "", "", &CommitNote::default(), done);
    });
    answers.add("sync", |kernel: &Kernel| kernel.history().sync());
    answers.add("hydrate", |kernel: &Kernel| kernel.history().hydrate());
    answers.add_write("persist", |kernel, done| kernel.persist("", &[], done));
    answers.add("acceptTest", |kernel: &Kernel| kernel.accept_test(""));
    answers.add("fileDiff", |kernel: &Kernel| kernel.history().file_diff(None, None, None));
    answers.add("uncommitted", |kernel: &Kernel| kernel.history().uncommitted());
    answers.add_write("revertFile", |kernel, done| {
        kernel.files().revert_file("", "", &CommitNote::default(), done);
    });
    answers.add_write("applyDiff", |kernel, done| kernel.files().apply_diff("", "", &CommitNote::default(), done));
    answers.add_write("deleteFile", |kernel, done| kernel.files().delete_file("", &CommitNote::default(), done));
    answers.add_write("moveFile", |kernel, done| kernel.files().move_file("", "", &CommitNote::default(), done));
    answers.add("findTool", |kernel: &Kernel| kernel.tools().find_tool("", None, None));
    answers.add_type::<MemoryReport>("readTexts");
    answers.add_type::<MemoryReport>("memoryReport");
    answers.add_type::<Stats>("stats");
    answers.add("listTools", |kernel: &Kernel| kernel.tools().list_tools());
    answers.add("listToolsNow", |kernel: &Kernel| kernel.tools().list_changed(None, None));
    answers.add("listToolsPage", |kernel: &Kernel| kernel.tools().list_page(None, 1, 1));
    answers.add("listToolsSince", |kernel: &Kernel| kernel.list_tools_since(None));
    answers.add("offeredTools", |kernel: &Kernel| {
        kernel.offered_tools(&Caller::default(), &OfferQuery { after: 0, offered: Vec::new(), limit: 1, counted: true })
    });
    answers.add("toolsAt", |kernel: &Kernel| kernel.tools().tools_at(&[]));
    answers.add("fitArguments", |kernel: &Kernel| kernel.runs().fit_arguments(&Runnable::Tool(String::new()), ""));
    answers.add("catalogue", |kernel: &Kernel| kernel.catalogue(&Caller::default(), 1));
    answers.add("hydrateRegistry", |kernel: &Kernel| kernel.tools().hydrate_registry());
    answers.add("registerTool", |kernel: &Kernel| kernel.tools().register_tool(""));
    answers.add_write("syncRegistry", |kernel, done| kernel.history().sync_registry(done));
    answers.add("checkTool", |kernel: &Kernel| kernel.checks().check_tool(""));
    answers.add("confinement", |kernel: &Kernel| kernel.runs().confinement());
    answers.add_write("fixTool", |kernel, done| kernel.files().fix_tool("", done));
    answers.add("previewChange", |kernel: &Kernel| {
        kernel.files().preview(&FileChangeCall::parse(&serde_json::Value::Null)?)
    });
    answers.add_type::<()>("enter");
    answers.add("ledgerTail", |kernel: &Kernel| kernel.ledger().tail(""));
    answers.add("ledgerTree", |kernel: &Kernel| kernel.ledger().tree(""));
    answers.add("ledgerBlob", |kernel: &Kernel| kernel.ledger().blob(""));
    answers.add_type::<()>("leave");
    answers.add("ledgerAppend", |kernel: &Kernel| kernel.ledger().append(""));
    answers.add("ledgerWaitForSpools", |kernel: &Kernel| kernel.ledger().wait_for_spools());
    answers.add("ledgerVerify", |kernel: &Kernel| kernel.ledger().verify());
    answers.add("ledgerSignBase", |kernel: &Kernel| kernel.ledger().sign_base());
    answers.add("ledgerPrune", |kernel: &Kernel| kernel.ledger().prune(""));
    answers.add("ledgerCheckpoint", |kernel: &Kernel| kernel.ledger().checkpoint());
    answers.add("ledgerExport", |kernel: &Kernel| kernel.ledger().export(0, 1));
    answers.add("ledgerChronicle", |kernel: &Kernel| kernel.ledger().chronicle(""));
    answers.add("ingestGraph", |kernel: &Kernel| kernel.graph().ingest(""));
    answers.add_type::<CallVerdict>("judge");
    answers.add("guardianCheck", |kernel: &Kernel| kernel.guardian().check());
    answers.add("guardianAssert", |kernel: &Kernel| kernel.guardian().assert_json(""));
    answers.add("guardianReconcile", |kernel: &Kernel| kernel.guardian().reconcile("", ""));
    answers.add("guardianReview", |kernel: &Kernel| kernel.guardian().review(""));
    answers.add("guardianSelfInquiry", |kernel: &Kernel| kernel.guardian().self_inquiry(kernel.tools()));
    answers.add_type::<Allowed>("allowed");
    answers.add("answerApproval", |kernel: &Kernel| kernel.policy().answer_approval("", ""));
    answers.add("replacePolicy", |kernel: &Kernel| kernel.policy().replace(&PolicySource::Safe, None));
    answers.add("checkPolicy", |kernel: &Kernel| kernel.policy().check(&PolicySource::Safe));
    answers.add("shownTools", |kernel: &Kernel| kernel.policy().shown_tools(&Caller::default(), ""));
    answers.add_type::<String>("sqlDetail");
    answers
        .add("openTables", |kernel: &Kernel| kernel.policy().open_tables(&Caller::default(), Dialect::Any, "", None));
    answers.add("explainPolicy", |kernel: &Kernel| kernel.policy().explain(None, ""));
    answers.add("replayPolicy", |kernel: &Kernel| kernel.policy().replay(&PolicySource::Safe, 1));
    answers.add("issueToken", |kernel: &Kernel| kernel.policy().issue(""));
    answers.add("revokeToken", |kernel: &Kernel| kernel.policy().revoke(""));
    answers.add_type::<ExecValue>("exec");
    answers.add("testFiles", |kernel: &Kernel| kernel.runs().test_files(None, &|_| true));
    answers.add_type::<()>("shutdown");
    answers.text
}

fn module_answers(types: &mut Types) -> String {
    let mut answers = Answers::new("ModuleAnswers", types);
    answers.add("askRemote", |config: &Config| ask_remote(config, Path::new("")));
    answers.add("verifyExport", |file: &Path| verify_export(file, None));
    answers.add("narrowedToken", |token: &str| narrowed_token(token, ""));
    answers.add("programLauncher", |(): &()| super::worker_files::launcher());
    answers.add("unifiedDiff", |path: &str| unified_diff(path, None, None));
    answers.text
}

fn vfs_answers(types: &mut Types) -> String {
    let mut answers = Answers::new("VfsAnswers", types);
    answers.add("read", |files: &RootFiles| files.read(""));
    answers.add("write", |files: &RootFiles| files.write("", ""));
    answers.add("remove", |files: &RootFiles| files.remove(""));
    answers.add("exists", |files: &RootFiles| files.exists(""));
    answers.add("list", |files: &RootFiles| files.list(""));
    answers.text
}

fn sql_answers(types: &mut Types) -> String {
    let mut rules = Answers::new("SqlRulesAnswers", types);
    rules.add("options", |_: &SqlOptions| SqlOptions::from_json(""));
    rules.add("classify", |policy: &SqlPolicy| -> Result<_, SqlError> {
        classify("", Dialect::Any, policy, &ParameterShape::Positional(0))
    });
    for method in ["allowsTable", "deniesTable"] {
        rules.add_type::<bool>(method);
    }
    let rules = rules.text;
    let mut database = Answers::new("DatabaseAnswers", types);
    // Without `query`: JavaScript passes rows on as text.
    database.add_type::<u32>("connect");
    for method in ["begin", "savepoint", "commit", "rollback"] {
        database.add_type::<()>(method);
    }
    rules + &database.text
}

/// Declarations by name.
struct Types {
    settings: ts_rs::Config,
    declared: BTreeMap<String, String>,
}

impl Types {
    fn new() -> Self {
        // `JSON.parse` makes numbers of all of them.
        Self { settings: ts_rs::Config::new().with_large_int("number"), declared: BTreeMap::new() }
    }

    fn add<T: TS + 'static>(&mut self) {
        self.visit::<T>();
        T::visit_generics(self);
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only declared types have a path; the others are inlined.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.settings);
        // Without comments, some of which would end a TypeScript comment early.
        let lines = T::decl(&self.settings);
        let text: String = lines.lines().filter(|line| !line.starts_with("/**") && !line.starts_with(" *")).collect();
        match self.declared.insert(name.clone(), text.clone()) {
            None => T::visit_dependencies(self),
            Some(before) => assert_eq!(before, text, "two types are called {name}"),
        }
    }
}

/// An interface with the answer of each method.
struct Answers<'a> {
    types: &'a mut Types,
    text: String,
}

impl<'a> Answers<'a> {
    fn new(name: &str, types: &'a mut Types) -> Self {
        Self { types, text: format!("\nexport interface {name} {{\n}}\n") }
    }

    /// The type is inferred from `ask`, which is never called.
    fn add<T: TS + 'static, Owner: ?Sized, Failure>(&mut self, method: &str, _ask: fn(&Owner) -> Result<T, Failure>) {
        self.add_type::<T>(method);
    }

    /// As `add`, for a method that answers through `done`.
    fn add_write<T: TS + 'static>(&mut self, method: &str, _ask: fn(&Kernel, WriteDone<T>)) {
        self.add_type::<T>(method);
    }

    fn add_type<T: TS + 'static>(&mut self, method: &str) {
        self.types.add::<T>();
        self.text.truncate(self.text.len() - "}\n".len());
        writeln!(self.text, "  {method}: {}\n}}", T::name(&self.types.settings)).unwrap();
    }
}

impl Reads for Answers<'_> {
    fn add<Args, T>(&mut self, tool: &'static str, _: Lane, _: fn(&Kernel, Args) -> Result<T, Error>)
    where
        Args: DeserializeOwned + 'static,
        T: Answer + 'static,
    {
        self.add_type::<T>(tool);
    }
}

#[cfg(test)]
mod tests {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/js/boundary/crossing.ts");

    #[test]
    fn crossing_ts_is_up_to_date() {
        let text = super::crossing();
        if std::fs::read_to_string(FILE).is_ok_and(|found| found == text) {
            return;
        }
        std::fs::write(FILE, text).unwrap();
        panic!("js/boundary/crossing.ts was stale and has been regenerated. Commit it and run tsc.");
    }
}
