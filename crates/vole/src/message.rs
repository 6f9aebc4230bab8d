//! Frames of known length.

use wire::{Channel, ChannelError, Decode, DecodeError, Reader};

use crate::{error::VoleError, field::Fp};

/// The largest piece of a message that is sent as one frame.
const FRAME: usize = 1 << 20;

/// Sends a message of any length in frames.
pub(crate) fn send(channel: &mut Channel, message: &[u8]) -> Result<(), VoleError> {
    message.chunks(FRAME).try_for_each(|frame| channel.send(frame))?;
    Ok(())
}

/// Receives a message of `expected` bytes. The length follows from the receiver's own parameters.
pub(crate) fn receive(
    channel: &mut Channel,
    what: &'static str,
    expected: usize,
) -> Result<Vec<u8>, VoleError> {
    let mut message = Vec::new();
    while message.len() < expected {
        let frame = channel.receive()?;
        if frame.len() != FRAME.min(expected - message.len()) {
            let got = message.len() + frame.len();
            return Err(VoleError::Length { what, expected, got });
        }
        message.extend_from_slice(&frame);
    }
    Ok(message)
}

/// As [`receive`], into an array.
pub(crate) fn receive_array<const N: usize>(
    channel: &mut Channel,
    what: &'static str,
) -> Result<[u8; N], VoleError> {
    let message = receive(channel, what, N)?;
    Ok(Reader::new(&message).array().map_err(wire::ChannelError::Decode)?)
}

/// Whether a message is `count` packed bits and nothing more.
pub(crate) fn no_padding(bits: &[u8], count: usize) -> Result<(), VoleError> {
    let used = count % 8;
    let padded = bits.last().is_some_and(|last| used > 0 && last >> used != 0);
    match bits.len() == count.div_ceil(8) && !padded {
        true => Ok(()),
        false => {
            let error = DecodeError::invalid("bits", "the padding is not zero");
            Err(ChannelError::Decode(error).into())
        }
    }
}

/// The next element of F_p of a message.
pub(crate) fn element(reader: &mut Reader<'_>) -> Result<Fp, VoleError> {
    Ok(Fp::decode(reader).map_err(ChannelError::Decode)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_their_bytes() {
        for (bits, count, allowed) in [
            (&[][..], 0, true),
            (&[0xff], 8, true),
            (&[0x1f], 5, true),
            (&[0x20], 5, false),
            (&[0x80], 7, false),
            (&[1, 0], 8, false),
            (&[1], 9, false),
            (&[], 1, false),
        ] {
            assert_eq!(no_padding(bits, count).is_ok(), allowed, "{bits:?}, {count}");
        }
    }

    /// Messages that end before, at and behind the end of a frame.
    #[test]
    fn messages_of_every_length() {
        for len in [0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME - 1, 2 * FRAME, 2 * FRAME + 1] {
            let message: Vec<u8> = (0..len).map(|at| (at + at / 251) as u8).collect();
            let (mut left, mut right) = Channel::pair();
            send(&mut left, &message).unwrap();
            assert_eq!(left.bytes_sent(), (len + 4 * len.div_ceil(FRAME)) as u64);
            send(&mut left, b"next").unwrap();
            assert!(receive(&mut right, "message", len).unwrap() == message, "{len}");
            assert_eq!(receive(&mut right, "next", 4).unwrap(), b"next");
        }
    }
}
