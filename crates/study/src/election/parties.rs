//! Who takes part in an election, and under which key.

use std::fmt;

use board::AuthorId;
use wire::{Decode, DecodeError, Encode, Reader};

use crate::checks::EL_2;

/// The most parties of one role.
pub const MAX_PARTIES: usize = 255;

/// What a party does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Opens, closes and publishes.
    Operator,
    /// Collects ballots.
    Station,
    /// Holds a share of the decryption key.
    Trustee,
    /// Shuffles.
    Mixer,
}

/// A party of an election, such as trustee 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Party {
    /// What it does.
    pub role: Role,
    /// Which one of its role, counted from 1.
    pub number: u16,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            Role::Operator => write!(f, "operator"),
            Role::Station => write!(f, "station {}", self.number),
            Role::Trustee => write!(f, "trustee {}", self.number),
            Role::Mixer => write!(f, "mixer {}", self.number),
        }
    }
}

/// Everybody who may write to the election's board. All keys differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parties {
    members: Vec<(Party, AuthorId)>,
}

impl Parties {
    /// Lists the parties; `None` if a key occurs twice or a role has more than [`MAX_PARTIES`].
    pub fn new(
        operator: AuthorId,
        stations: &[AuthorId],
        trustees: &[AuthorId],
        mixers: &[AuthorId],
    ) -> Option<Self> {
        let operator = [operator];
        let roles = [
            (Role::Operator, operator.as_slice()),
            (Role::Station, stations),
            (Role::Trustee, trustees),
            (Role::Mixer, mixers),
        ];
        let mut members: Vec<(Party, AuthorId)> = Vec::new();
        for (role, keys) in roles {
            for (number, &key) in (1..).zip(keys) {
                let taken = members.iter().any(|(_, other)| *other == key);
                if taken || usize::from(number) > MAX_PARTIES {
                    return None;
                }
                members.push((Party { role, number }, key));
            }
        }
        Some(Self { members })
    }

    /// The party that writes under a key.
    pub fn party(&self, key: &AuthorId) -> Option<Party> {
        self.members.iter().find_map(|(party, member)| (member == key).then_some(*party))
    }

    /// Everybody's keys.
    pub fn everybody(&self) -> impl Iterator<Item = AuthorId> {
        self.members.iter().map(|&(_, key)| key)
    }

    /// The keys of a role, in order.
    pub fn keys(&self, role: Role) -> Vec<AuthorId> {
        let members = self.members.iter().filter(|(party, _)| party.role == role);
        members.map(|&(_, key)| key).collect()
    }

    /// The number of parties of a role.
    pub fn count(&self, role: Role) -> u16 {
        let members = self.members.iter().filter(|(party, _)| party.role == role);
        // Parties are numbered from 1: the greatest number is how many there are, and 0 is nobody.
        members.map(|(party, _)| party.number).max().unwrap_or(0)
    }
}

/// The operator, then stations, trustees and mixers, each behind its count.
impl Encode for Parties {
    fn encode(&self, out: &mut Vec<u8>) {
        for role in [Role::Operator, Role::Station, Role::Trustee, Role::Mixer] {
            self.count(role).encode(out);
            self.keys(role).iter().for_each(|key| key.encode(out));
        }
    }
}

impl Decode for Parties {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut role = || {
            let count = reader.u16()?;
            let limit = MAX_PARTIES as u64;
            if u64::from(count) > limit {
                return Err(DecodeError::TooLong { what: "parties", got: count.into(), limit });
            }
            (0..count).map(|_| AuthorId::decode(reader)).collect::<Result<Vec<_>, _>>()
        };
        let (operator, stations, trustees, mixers) = (role()?, role()?, role()?, role()?);
        let refused = |reason: &str| DecodeError::invalid("parties", reason).under(EL_2);
        let &[operator] = operator.as_slice() else {
            return Err(refused("there must be one operator"));
        };
        Self::new(operator, &stations, &trustees, &mixers)
            .ok_or_else(|| refused("two parties have the same key"))
    }
}

impl Encode for Party {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(match self.role {
            Role::Operator => 0,
            Role::Station => 1,
            Role::Trustee => 2,
            Role::Mixer => 3,
        });
        self.number.encode(out);
    }
}

impl Decode for Party {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let role = match reader.u8()? {
            0 => Role::Operator,
            1 => Role::Station,
            2 => Role::Trustee,
            3 => Role::Mixer,
            other => return Err(DecodeError::invalid("role", other)),
        };
        Ok(Self { role, number: reader.u16()? })
    }
}
