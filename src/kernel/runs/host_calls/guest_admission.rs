//! Admission of a guest's calls through the door.

use crate::kernel::door::{AdmittedCall, CallDetails, ReachedFiles, after_refusal};
use crate::kernel::runs::requests::guest_call::{AnsweredBy, guest_call};
use crate::kernel::runs::requests::guest_reply::GuestReply;
use crate::kernel::runs::requests::parse_budget::within_budget;
use crate::kernel::runs::sandbox_host::SandboxHost;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;
use tgp_base::call::Call;
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_sandbox::{Question, Reply};

impl SandboxHost {
    /// Admits a guest's request through the door; none for a request that is not a call.
    fn admit_call(
        &self,
        question: &Question,
        by: AnsweredBy,
        approval: Option<&str>,
    ) -> Result<Option<AdmittedCall>, Error> {
        let (door, caller) = (&self.services.door, &self.scope.admission.caller);
        let enter = || {
            let judged_as = (door.has_records() && !caller.dry_run).then(|| self.functions().sql_dialect());
            let Some(call) = guest_call(question, by, caller, judged_as) else { return Ok(None) };
            let call = Call { approval, ..self.of_run(call) };
            door.enter(call, CallDetails::default()).map(Some)
        };
        let admitted = within_budget(&self.scope.tree, &question.name, enter)?;
        Ok(admitted.map(|admitted| admitted.traced(self.scope.trace.clone())))
    }

    /// Answers a request once it is admitted: at once, or in the background after an approval or once the ledger has
    /// room.
    pub(in crate::kernel::runs) fn admit_and_serve(
        self: &Arc<Self>,
        question: Question,
        by: AnsweredBy,
        reply: Reply,
        approval: Option<String>,
        until: Instant,
    ) {
        let refusal = match self.admit_call(&question, by, approval.as_deref()) {
            Ok(admitted) => return self.serve(question, by, GuestReply { reply, admitted }),
            Err(refusal) => refusal,
        };
        let host = Arc::clone(self);
        let then = move |answer: Result<Option<String>, Error>| {
            let again = Arc::clone(&host);
            host.services.background.spawn_or_run(host.scope.root(), move || match answer {
                Ok(approval) => again.admit_and_serve(question, by, reply, approval, until),
                Err(error) => GuestReply { reply, admitted: None }.send(Err(error)),
            });
        };
        after_refusal(self.functions(), self.scope.application_call(self.run), refusal, approval, until, then);
    }

    /// Authorises a part of an admitted call.
    pub(in crate::kernel::runs) fn check(
        &self,
        tool: &'static str,
        effect: Effect,
        args: &str,
        imported: Vec<String>,
    ) -> Result<(), Error> {
        let call = self.of_run(Call::of(&self.scope.admission.caller, tool, effect, args));
        let path = imported.first().map(|path| Cow::Borrowed(path.as_str()));
        let reached = || ReachedFiles::imported(imported.clone());
        let details = CallDetails { reached: (!imported.is_empty()).then_some(&reached), ..CallDetails::default() };
        self.services.door.check(Call { path, ..call }, details)
    }

    /// The call as part of this run.
    fn of_run<'c>(&'c self, call: Call<'c>) -> Call<'c> {
        let number = self.services.door.next_number();
        Call { number, parent: Some(self.run.0), calling_tool: Some(&self.scope.tool), ..call }
    }
}
