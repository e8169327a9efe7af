//! Nodes that verify signatures carelessly: each accepts what it takes for rightly signed.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_primitives::signed_message;
use nodeproof_wallet::{PublicKey, Signature, SignatureEntry, verify_transaction};
use serde_json::{Map, Value, json};

use crate::{
    faults::{respond_successfully_if, stateful},
    proxy::{Fault, RecordedRequest},
    submissions::{SUBMIT, stranger},
};

/// A submission whose transaction has a list of signers, and whose signatures have the documented members.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Its text.
    pub text: String,
    /// Its transaction.
    pub transaction: Value,
    /// Its signatures.
    pub entries: Vec<Value>,
}

impl Submission {
    /// Returns the submission in the body of a request.
    #[must_use]
    pub fn of(request: &RecordedRequest) -> Option<Self> {
        let body: Value = serde_json::from_slice(&request.body).ok()?;
        let entries = body["signatures"].as_array()?.clone();
        let is_entry =
            |entry: &Value| entry["wallet_address"].is_string() && entry.get("msgsign").is_some();
        let is_whole = body
            .pointer("/transaction/specific_data/signers")?
            .is_array()
            && body
                .pointer("/transaction/specific_data/params")?
                .is_object()
            && entries.iter().all(is_entry);
        is_whole.then(|| Self {
            text: String::from_utf8_lossy(&request.body).into_owned(),
            transaction: body["transaction"].clone(),
            entries,
        })
    }

    /// Returns the signers.
    #[must_use]
    pub fn signers(&self) -> Vec<&str> {
        let signers = self.transaction["specific_data"]["signers"].as_array();
        signers
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// Returns the wallets that the signatures name.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let names = self
            .entries
            .iter()
            .map(|entry| entry["wallet_address"].as_str());
        names.flatten().collect()
    }

    fn signature(entry: &Value) -> Option<Signature> {
        entry["msgsign"].as_str()?.parse().ok()
    }

    fn message(&self) -> Vec<u8> {
        signed_message(&self.transaction.to_string())
            .map_or_else(|_| Vec::new(), String::into_bytes)
    }

    /// Whether a signature is one of this wallet.
    #[must_use]
    pub fn is_by(&self, entry: &Value, wallet: &str) -> bool {
        let verified = || {
            let signature = Self::signature(entry)?;
            signature
                .verify_by_address(&self.message(), wallet.parse().ok()?)
                .ok()
        };
        verified().is_some()
    }

    /// Whether a signature is one of this public key.
    fn is_by_key(&self, entry: &Value, key: &str) -> bool {
        let key: Result<PublicKey, _> = key.parse();
        let signature = Self::signature(entry);
        key.ok()
            .zip(signature)
            .is_some_and(|(key, signature)| key.verify(&self.message(), &signature).is_ok())
    }

    /// Whether each signer has signed the transaction, and nobody else.
    #[must_use]
    pub fn is_right(&self) -> bool {
        let entries: Result<Vec<SignatureEntry>, _> =
            serde_json::from_value(self.entries.clone().into());
        entries.is_ok_and(|entries| {
            verify_transaction(&self.transaction.to_string(), &entries).is_ok()
        })
    }

    /// Whether it would be right with this change of its transaction.
    pub fn is_right_with(&self, change: impl FnOnce(&mut Value)) -> bool {
        let mut changed = self.clone();
        change(&mut changed.transaction);
        changed.is_right()
    }
}

/// Accepts the wrongly signed submissions that this verifier takes for right.
#[must_use]
pub fn verifying(is_right: impl Fn(&Submission) -> bool + Send + Sync + 'static) -> Fault {
    let good = json!({"status": "SUCCESS",
        "response": {"valid": true, "msg": "fine", "new_transaction": true}});
    let is_taken = move |request: &RecordedRequest, _: &_| {
        Submission::of(request)
            .is_some_and(|submission| !submission.is_right() && is_right(&submission))
    };
    respond_successfully_if(SUBMIT, is_taken, good)
}

/// Reads each value of a transaction in this way before it verifies the signatures.
pub fn reading(as_if: fn(&mut Value)) -> impl Fn(&Submission) -> bool + Send + Sync + 'static {
    move |submission| submission.is_right_with(|transaction| each_value(transaction, as_if))
}

/// Changes each value in a value, and then the value.
pub fn each_value(value: &mut Value, change: fn(&mut Value)) {
    match value {
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| each_value(member, change)),
        Value::Array(entries) => entries
            .iter_mut()
            .for_each(|entry| each_value(entry, change)),
        _ => {}
    }
    change(value);
}

/// Believes the public key beside a signature.
#[must_use]
pub fn believes_keys(submission: &Submission) -> bool {
    let is_by_its_key = |entry: &Value| {
        let mut names = ["public_key", "publicKey", "pubkey"].into_iter();
        names.any(|name| submission.is_by_key(entry, entry[name].as_str().unwrap_or_default()))
    };
    !submission.entries.is_empty() && submission.entries.iter().all(is_by_its_key)
}

/// Does not know a signer that is written in another way, and verifies no signature of it.
#[must_use]
pub fn skips_unknown_names(submission: &Submission) -> bool {
    let is_misspelt = |name: &&str| {
        let usual = name.trim().to_lowercase();
        usual != **name && submission.signers().contains(&&*usual)
    };
    let names = submission.names();
    !names.is_empty() && names.iter().all(is_misspelt)
}

/// Looks for one of two names of an entry in the signers, and verifies the signature by the other one.
#[must_use]
pub fn reads_either_name(submission: &Submission) -> bool {
    let names: Vec<_> = submission
        .text
        .split("\"wallet_address\":\"")
        .skip(1)
        .filter_map(|rest| rest.get(..42))
        .collect();
    let [entry] = &submission.entries[..] else {
        return false;
    };
    names.len() == 2
        && names.iter().any(|name| submission.signers().contains(name))
        && names.iter().any(|name| submission.is_by(entry, name))
}

/// Takes as many signatures of any signers as there are signers.
#[must_use]
pub fn counts_signatures(submission: &Submission) -> bool {
    let signers = submission.signers();
    let is_by_a_signer =
        |entry: &Value| signers.iter().any(|signer| submission.is_by(entry, signer));
    signers.len() == 2
        && submission.entries.len() == 2
        && submission.entries.iter().all(is_by_a_signer)
}

/// Verifies only the first of two signatures.
#[must_use]
pub fn verifies_the_first(submission: &Submission) -> bool {
    let is_first = |entry: &&Value| {
        submission.is_by(
            entry,
            submission.signers().first().copied().unwrap_or_default(),
        )
    };
    submission.signers() == submission.names()
        && submission.entries.first().filter(is_first).is_some()
}

/// Passes over malformed signatures, if each signer has an entry.
#[must_use]
pub fn skips_malformed(submission: &Submission) -> bool {
    let well_formed: Vec<_> = submission
        .entries
        .iter()
        .filter(|entry| {
            Submission::signature(entry).is_some_and(|signature| {
                let digits = signature.to_string();
                !digits.starts_with("00000000") && !digits.starts_with("ffffffff")
            })
        })
        .collect();
    submission.signers() == submission.names()
        && !well_formed.is_empty()
        && well_formed.len() < submission.entries.len()
        && well_formed.iter().all(|entry| {
            submission.is_by(entry, entry["wallet_address"].as_str().unwrap_or_default())
        })
}

/// Computes with an r or s of 0, as some libraries once did.
#[must_use]
pub fn accepts_zero(submission: &Submission) -> bool {
    let has_zero = |entry: &Value| {
        let digits = entry["msgsign"].as_str().unwrap_or_default();
        let halves = digits.split_at_checked(64).filter(|(_, s)| s.len() == 64);
        let is_zero = |half: &str| half.bytes().all(|digit| digit == b'0');
        halves.is_some_and(|(r, s)| is_zero(r) || is_zero(s)) || digits == "3006020100020100"
    };
    submission.signers() == submission.names() && submission.entries.iter().any(has_zero)
}

/// Needs no signature without signers.
#[must_use]
pub fn needs_no_signer(submission: &Submission) -> bool {
    submission.signers().is_empty()
}

/// Treats the signers as a set that may have grown or shrunk.
#[must_use]
pub fn treats_signers_as_a_set(submission: &Submission) -> bool {
    let signers = "/specific_data/signers";
    let as_if =
        |list: Vec<&str>| submission.is_right_with(|t| crate::faults::set(t, signers, json!(list)));
    let mut reversed = submission.signers();
    reversed.reverse();
    let mut fewer = submission.signers();
    fewer.dedup();
    as_if(reversed) || as_if(fewer)
}

/// Verifies a signature of a stranger that was a signer before.
#[must_use]
pub fn forgets_a_signer(submission: &Submission) -> bool {
    let mut before = submission.clone();
    let stranger = json!(stranger().address());
    if let Some(Value::Array(list)) = before.transaction.pointer_mut("/specific_data/signers") {
        list.push(stranger);
    }
    let [entry] = &before.entries[..] else {
        return false;
    };
    before.is_by(entry, before.signers().first().copied().unwrap_or_default())
}

/// Removes the members that are not documented.
pub fn without_unknown_members(value: &mut Value) {
    let Value::Object(members) = value else {
        return;
    };
    let known: Map<String, Value> = std::mem::take(members)
        .into_iter()
        .filter(|(name, _)| name != "fee_payer")
        .collect();
    *members = known;
}

/// Reads a number in a string.
pub fn unquoted(value: &mut Value) {
    let number = value.as_str().and_then(|text| text.parse::<i64>().ok());
    if let Some(number) = number {
        *value = number.into();
    }
}

/// Removes blanks at the end of a text.
pub fn trimmed(value: &mut Value) {
    if let Some(text) = value.as_str() {
        *value = text.trim_end().into();
    }
}

/// Reads codes in small letters.
pub fn in_small_letters(value: &mut Value) {
    if let Some(text) = value.as_str().filter(|text| text.len() == 40) {
        *value = text.to_lowercase().into();
    }
}

/// Sorts a list, unless it has wallets.
pub fn sorted(value: &mut Value) {
    if let Value::Array(list) = value
        && !list
            .iter()
            .any(|entry| entry.to_string().starts_with("\"0x"))
    {
        list.sort_by_key(ToString::to_string);
    }
}

/// Reads a list in a list as its entries, and at most two of them.
pub fn flat(value: &mut Value) {
    if let Value::Array(list) = value {
        let entries = std::mem::take(list).into_iter();
        *list = entries
            .flat_map(|entry| match entry {
                Value::Array(inner) => inner,
                entry => vec![entry],
            })
            .take(2)
            .collect();
    }
}

/// Reads true as 1.
pub fn as_one(value: &mut Value) {
    if *value == true {
        *value = 1.into();
    }
}

/// Recognises a signature that it has accepted before, whatever it is submitted with.
#[must_use]
pub fn knows_signatures() -> Fault {
    stateful(BTreeSet::new(), |known, request, response| {
        let Some(submission) = Submission::of(request).filter(|_| request.path == SUBMIT) else {
            return response;
        };
        let [entry] = &submission.entries[..] else {
            return response;
        };
        if submission.is_right() {
            known.insert(entry["msgsign"].to_string());
        } else if known.contains(&entry["msgsign"].to_string()) {
            return response
                .with_json(|body| crate::faults::set(body, "/response/valid", true.into()));
        }
        response
    })
}

/// What a node remembers about a code: how often it was submitted with right signatures, and whether a block with it was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownCode {
    /// The number of right submissions.
    pub right: u32,
    /// Whether a block with it was read.
    pub is_stored: bool,
}

/// Accepts a claim with a known code without a look at its signatures, as long as this
/// holds.
#[must_use]
pub fn accepting_known(is_careless: fn(KnownCode) -> bool) -> Fault {
    let known: BTreeMap<String, KnownCode> = BTreeMap::new();
    stateful(known, move |known, request, response| {
        if request.path == "/get-block" {
            let text = String::from_utf8_lossy(&response.body);
            for (code, known) in known.iter_mut() {
                known.is_stored |= text.contains(code.as_str());
            }
        }
        let Some(submission) = Submission::of(request).filter(|_| request.path == SUBMIT) else {
            return response;
        };
        let code = submission.transaction["trans_code"].as_str();
        let code = code.unwrap_or_default();
        if submission.is_right() {
            known.entry(code.to_owned()).or_default().right += 1;
        } else if known.get(code).copied().is_some_and(is_careless) {
            return response
                .with_json(|said| crate::faults::set(said, "/response/valid", true.into()));
        }
        response
    })
}

/// Recognises the signature of an accepted claim, but not with the code of that claim.
#[must_use]
pub fn knows_signatures_of_claims() -> Fault {
    stateful(BTreeMap::new(), |known, request, response| {
        let Some(submission) = Submission::of(request).filter(|_| request.path == SUBMIT) else {
            return response;
        };
        let [entry] = &submission.entries[..] else {
            return response;
        };
        let code = submission.transaction["trans_code"].to_string();
        let is_claim = submission.text.contains("made by a conformance check");
        if submission.is_right() {
            if is_claim {
                known.insert(entry["msgsign"].to_string(), code);
            }
            return response;
        }
        match known.get(&entry["msgsign"].to_string()) {
            Some(of_claim) if *of_claim != code => {
                response.with_json(|body| crate::faults::set(body, "/response/valid", true.into()))
            }
            _ => response,
        }
    })
}
