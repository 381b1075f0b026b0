//! The text form of tokens: issue, attenuate, verify.

use super::block::Block;
use super::capability::Capability;
use super::chain::Link;
use super::keys::Keys;
use super::mac::TAG_BYTES;
use crate::canonical_json::canonical_json;
use crate::policy_error::PolicyError;
use crate::tools::Tools;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::Value;

/// The prefix of all tokens, for people and secret scanners.
const PREFIX: &str = "tgp_";
const FORMAT: u8 = 1;
/// Format, id of the key, random bytes.
const HEADER_BYTES: usize = 1 + 8 + 16;
/// The longest token.
pub(super) const MAX_TEXT_BYTES: usize = 16 << 10;
/// The most blocks of a token.
const MAX_BLOCKS: usize = 32;
const MAX_BLOCK_BYTES: usize = 4 << 10;

const FOREIGN: PolicyError =
    PolicyError::Token { reason: "It is not a token of this kernel, or it was changed. Ask for a new one." };

/// Issues a token with these caveats.
///
/// # Errors
/// `Caveats` if they are invalid or name unknown tools, `NoRandomness`.
pub fn issue(keys: &Keys, caveats: &Value, tools: &Tools) -> Result<String, PolicyError> {
    check_caveats(caveats, Some(tools))?;
    let mut random = [0; 16];
    SystemRandom::new().fill(&mut random).map_err(|_| PolicyError::NoRandomness)?;
    let key = keys.current();
    let header = [[FORMAT].as_slice(), &key.id(), &random].concat();
    let link = Link::first(key, &header);
    extend(&header, &[], link, caveats)
}

/// Narrows a token. Needs no key: any holder can do it.
///
/// # Errors
/// `Token` for a text that is not a token, `Caveats`.
pub fn attenuate(token: &str, caveats: &Value) -> Result<String, PolicyError> {
    check_caveats(caveats, None)?;
    let bytes = decode(token)?;
    let parts = Parts::split(&bytes).ok_or(FOREIGN)?;
    extend(parts.header, &parts.blocks, parts.link, caveats)
}

/// Verifies a token.
///
/// # Errors
/// `Token` if it is foreign, changed or revoked.
pub fn verify(keys: &Keys, token: &str) -> Result<Capability, PolicyError> {
    let bytes = decode(token)?;
    let parts = Parts::split(&bytes).ok_or(FOREIGN)?;
    let key_id = parts.header.get(1..9).and_then(|id| id.try_into().ok()).ok_or(FOREIGN)?;
    let key = keys.find(key_id).ok_or(FOREIGN)?;
    let mut link = Link::first(key, parts.header);
    let mut chain = vec![link.id()];
    let mut ours = parts.link.is_first(key, parts.header);
    for block in &parts.blocks {
        ours = parts.link.is_next(&link, block);
        link = link.next(block);
        chain.push(link.id());
    }
    if !ours {
        return Err(FOREIGN);
    }
    if chain.iter().any(|id| keys.is_revoked(id)) {
        return Err(PolicyError::Token { reason: "It was revoked. Ask for a new one." });
    }
    // Caveats are untrusted: any holder can add blocks.
    let read = |block: &&[u8]| {
        let value = serde_json::from_slice(block).ok()?;
        Block::read(&value, None).ok()
    };
    let unreadable =
        PolicyError::Token { reason: "It has caveats that this kernel does not support. Ask for a new one." };
    let blocks: Option<Vec<Block>> = parts.blocks.iter().map(read).collect();
    Ok(Capability::new(chain, blocks.ok_or(unreadable)?))
}

/// Checks caveats; with `tools`, also the names in them.
///
/// # Errors
/// `Caveats`.
pub fn check_caveats(caveats: &Value, tools: Option<&Tools>) -> Result<(), PolicyError> {
    let checked = Block::read(caveats, tools).map_err(|fault| (fault.place.within("caveats"), fault.message));
    checked.map(|_| ()).map_err(|(at, message)| PolicyError::Caveats { at, message })
}

fn extend(header: &[u8], blocks: &[&[u8]], link: Link, caveats: &Value) -> Result<String, PolicyError> {
    let too_long = |message: String| PolicyError::Caveats { at: "caveats".to_owned(), message };
    let text = canonical_json(caveats);
    if text.len() > MAX_BLOCK_BYTES {
        return Err(too_long(format!("They are longer than {MAX_BLOCK_BYTES} bytes.")));
    }
    if blocks.len() >= MAX_BLOCKS {
        return Err(too_long(format!(
            "The token has been narrowed {MAX_BLOCKS} times, which is the limit. Ask for a new one."
        )));
    }
    let mut bytes = header.to_vec();
    for block in blocks.iter().copied().chain([text.as_bytes()]) {
        let length = u16::try_from(block.len()).map_err(|_| FOREIGN)?;
        bytes.extend(length.to_be_bytes());
        bytes.extend(block);
    }
    bytes.extend(link.next(text.as_bytes()).bytes());
    let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
    if token.len() > MAX_TEXT_BYTES {
        return Err(too_long(format!("The token would be longer than {MAX_TEXT_BYTES} characters.")));
    }
    Ok(token)
}

fn decode(token: &str) -> Result<Vec<u8>, PolicyError> {
    let text = token.strip_prefix(PREFIX).filter(|_| token.len() <= MAX_TEXT_BYTES).ok_or(FOREIGN)?;
    URL_SAFE_NO_PAD.decode(text).map_err(|_| FOREIGN)
}

/// The parts of a token that is not verified yet.
struct Parts<'b> {
    header: &'b [u8],
    blocks: Vec<&'b [u8]>,
    link: Link,
}

impl<'b> Parts<'b> {
    fn split(bytes: &'b [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
        let (mut rest, tag) = rest.split_at_checked(rest.len().checked_sub(TAG_BYTES)?)?;
        if header.first() != Some(&FORMAT) {
            return None;
        }
        let mut blocks = Vec::new();
        while !rest.is_empty() {
            let (length, behind) = rest.split_first_chunk::<2>()?;
            let (block, behind) = behind.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            if block.len() > MAX_BLOCK_BYTES || blocks.len() >= MAX_BLOCKS {
                return None;
            }
            blocks.push(block);
            rest = behind;
        }
        Some(Self { header, blocks, link: Link::from_bytes(tag.try_into().ok()?) })
    }
}
