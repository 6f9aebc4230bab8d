//! Why a channel failed, and whether it is of any more use.

use std::io;

use thiserror::Error;

use crate::DecodeError;

/// Why a channel did not carry a frame.
///
/// After anything but [`ChannelError::TimedOut`] of a `receive` that got no byte yet,
/// [`ChannelError::Decode`] and a refused `send`, the two ends may disagree on where a frame
/// begins: the channel is of no more use, and every later call says [`ChannelError::Closed`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChannelError {
    /// The peer is gone, between two frames. Nobody signs for the end of a channel, not even
    /// under TLS: protocols must say in their messages when they are done.
    #[error("the channel is closed")]
    Closed,
    /// The peer vanished inside a frame.
    #[error("the channel closed inside a frame")]
    CutShort,
    /// The frame was not through when its time was up.
    #[error("timed out")]
    TimedOut,
    /// A frame is over the channel's limit.
    #[error("a frame of {got} bytes is over the channel's limit of {limit}")]
    TooLarge {
        /// Bytes of the frame.
        got: u64,
        /// Bytes that are allowed.
        limit: u64,
    },
    /// The frame arrived, and it is not the expected message.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// TLS could not be set up, or the peer is not who it must be.
    #[error("TLS: {reason}")]
    Tls {
        /// What is wrong.
        reason: String,
    },
    /// Any other failure of the transport.
    #[error(transparent)]
    Io(io::Error),
}

impl ChannelError {
    #[cfg(feature = "net")]
    pub(super) fn tls(reason: impl ToString) -> Self {
        Self::Tls { reason: reason.to_string() }
    }

    /// The same failure, seen from inside a frame.
    pub(super) fn inside_frame(self) -> Self {
        match self {
            Self::Closed => Self::CutShort,
            other => other,
        }
    }
}

impl From<io::Error> for ChannelError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::*;
        // rustls hands its own errors through the `io` traits.
        #[cfg(feature = "net")]
        if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>())
        {
            return Self::tls(error);
        }
        match error.kind() {
            TimedOut | WouldBlock => Self::TimedOut,
            UnexpectedEof | BrokenPipe | ConnectionReset | ConnectionAborted | NotConnected => {
                Self::Closed
            }
            _ => Self::Io(error),
        }
    }
}
