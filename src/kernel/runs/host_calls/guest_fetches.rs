//! Requests of a guest to the network.

use crate::kernel::runs::requests::guest_reply::GuestReply;
use crate::kernel::runs::requests::question_args::arguments;
use crate::kernel::runs::sandbox_host::{SandboxHost, to_json};
use std::sync::Arc;
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_net::FetchRequest;
use tgp_sandbox::Question;

/// The number by which the guest can abort a request.
#[derive(serde::Deserialize)]
struct Numbered {
    token: u32,
}

impl SandboxHost {
    pub(in crate::kernel::runs) fn fetch(self: &Arc<Self>, question: &Question, reply: GuestReply) {
        // Parsed twice: serde's flatten would buffer all other members.
        let numbered = arguments::<(Numbered,)>(question);
        match numbered.and_then(|(Numbered { token },)| Ok((token, arguments::<(FetchRequest,)>(question)?.0))) {
            Err(error) => reply.send(Err(error)),
            Ok((token, request)) => {
                if let Some(preview) = &self.scope.preview
                    && !request.only_reads()
                {
                    let checked = self.services.fetcher.check(request);
                    return reply.send(Err(
                        checked.map_or_else(Error::from, |(method, url)| preview.hold_request(method, url))
                    ));
                }
                let answer = Box::new(move |result: Result<_, Error>| {
                    reply.send(result.and_then(|value| to_json(&value)));
                });
                let host = Arc::clone(self);
                let hops = Arc::new(move |url: &str, method: &str| {
                    let args = serde_json::json!([{ "url": url, "method": method }]).to_string();
                    host.check("fetch", Effect::Net, &args, Vec::new())
                });
                let task = self.services.fetcher.fetch(self.scope.root(), request, hops, answer);
                self.fetches.add(token, task);
            }
        }
    }

    pub(in crate::kernel::runs) fn abort_fetch(&self, question: &Question) -> Result<String, Error> {
        let (token,): (u32,) = arguments(question)?;
        self.fetches.abort(token);
        Ok("null".to_owned())
    }
}
