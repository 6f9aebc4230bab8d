//! What a board's server and its clients say to each other, a frame each.

use std::time::Duration;

use wire::{DecodeError, Encode, Reader};

use crate::MAX_ENTRY;

/// Changes with every change of the messages.
const PROTOCOL: u8 = 1;
/// Frames around an entry: protocol, tag, sequence, the entry's length.
pub(super) const MAX_FRAME: usize = MAX_ENTRY + 1 + 1 + 8 + 4;
/// Bytes of the reason for a refusal.
const MAX_REASON: usize = 1024;

#[derive(Debug)]
pub(super) enum Request<'a> {
    Len,
    Read { sequence: u64 },
    Append { sequence: u64, bytes: &'a [u8] },
    WaitBeyond { len: u64, timeout: Duration },
}

#[derive(Debug)]
pub(super) enum Response {
    Len(u64),
    Entry(Vec<u8>),
    Absent,
    Appended,
    Conflict,
    Gap,
    Refused(String),
    Waited(bool),
    Failed(String),
}

impl Encode for Request<'_> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(PROTOCOL);
        match self {
            Self::Len => out.push(0),
            Self::Read { sequence } => {
                out.push(1);
                sequence.encode(out);
            }
            Self::Append { sequence, bytes } => {
                out.push(2);
                sequence.encode(out);
                wire::put_bytes(out, bytes);
            }
            Self::WaitBeyond { len, timeout } => {
                out.push(3);
                len.encode(out);
                u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX).encode(out);
            }
        }
    }
}

impl<'a> Request<'a> {
    /// `Decode` cannot borrow, and an entry is large.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let request = match tag(&mut reader)? {
            0 => Self::Len,
            1 => Self::Read { sequence: reader.u64()? },
            2 => Self::Append { sequence: reader.u64()?, bytes: reader.bytes("entry", MAX_ENTRY)? },
            3 => Self::WaitBeyond {
                len: reader.u64()?,
                timeout: Duration::from_millis(reader.u32()?.into()),
            },
            other => return Err(DecodeError::invalid("request", format!("unknown tag {other}"))),
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Encode for Response {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(PROTOCOL);
        match self {
            Self::Len(len) => {
                out.push(0);
                len.encode(out);
            }
            Self::Entry(bytes) => {
                out.push(1);
                wire::put_bytes(out, bytes);
            }
            Self::Absent => out.push(2),
            Self::Appended => out.push(3),
            Self::Conflict => out.push(4),
            Self::Gap => out.push(5),
            Self::Refused(reason) => put_reason(6, reason, out),
            Self::Waited(more) => out.extend_from_slice(&[7, u8::from(*more)]),
            Self::Failed(reason) => put_reason(8, reason, out),
        }
    }
}

impl Response {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let response = match tag(&mut reader)? {
            0 => Self::Len(reader.u64()?),
            1 => Self::Entry(reader.bytes("entry", MAX_ENTRY)?.to_vec()),
            2 => Self::Absent,
            3 => Self::Appended,
            4 => Self::Conflict,
            5 => Self::Gap,
            6 => Self::Refused(reason(&mut reader)?),
            7 => match reader.u8()? {
                0 => Self::Waited(false),
                1 => Self::Waited(true),
                other => return Err(DecodeError::invalid("waited", format!("{other}"))),
            },
            8 => Self::Failed(reason(&mut reader)?),
            other => return Err(DecodeError::invalid("response", format!("unknown tag {other}"))),
        };
        reader.finish()?;
        Ok(response)
    }
}

fn tag(reader: &mut Reader<'_>) -> Result<u8, DecodeError> {
    match reader.u8()? {
        PROTOCOL => reader.u8(),
        got => Err(DecodeError::invalid("board protocol", format!("version {got}, not 1"))),
    }
}

fn put_reason(tag: u8, reason: &str, out: &mut Vec<u8>) {
    out.push(tag);
    let end = reason.floor_char_boundary(MAX_REASON);
    wire::put_bytes(out, reason.get(..end).unwrap_or_default().as_bytes());
}

/// Goes to terminals and logs, so whatever could steer those is dropped.
fn reason(reader: &mut Reader<'_>) -> Result<String, DecodeError> {
    let text = reader.text("reason", MAX_REASON)?;
    Ok(text.chars().filter(|c| !c.is_control()).collect())
}
