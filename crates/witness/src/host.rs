//! What a program sees of its surroundings: four functions that take its messages.

use std::fmt;

use wasmi::{Caller, Engine, Linker, StoreLimits, StoreLimitsBuilder, errors::HostError};

use crate::Limits;

/// Words of 32 bits in a scalar of either curve.
pub(crate) const WORDS: i32 = 8;
/// Characters of one message.
const MAX_MESSAGE: usize = 1 << 12;
/// Characters of everything that a program says.
const MAX_SAID: usize = 1 << 20;

/// What a program said so far.
pub(crate) struct Host {
    pub limits: StoreLimits,
    /// Where an assertion failed, outwards.
    pub trace: Vec<String>,
    /// Lines of `log`, and the one that is not finished.
    pub log: Vec<String>,
    line: String,
    said: usize,
}

/// The program ended itself, with one of circom's codes.
#[derive(Debug)]
pub(crate) struct Raised(i32);

impl HostError for Raised {}

impl fmt::Display for Raised {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.0 {
            1 => "a signal is not found",
            2 => "too many signals are set",
            3 => "a signal is set already",
            4 => "an assertion fails",
            5 => "not enough memory",
            6 => "an array of inputs is shorter",
            7 => "an array is shorter",
            _ => "an error that circom does not name",
        })
    }
}

impl Host {
    pub fn new(limits: &Limits) -> Self {
        let limits = StoreLimitsBuilder::new()
            .memory_size(limits.memory)
            .table_elements(1 << 20)
            .instances(1)
            .tables(4)
            .memories(1)
            .trap_on_grow_failure(true)
            .build();
        Self { limits, trace: Vec::new(), log: Vec::new(), line: String::new(), said: 0 }
    }

    fn count(&mut self, said: usize) -> Result<(), wasmi::Error> {
        self.said += said;
        let too_much = || wasmi::Error::new("it says more than 2^20 characters");
        if self.said <= MAX_SAID { Ok(()) } else { Err(too_much()) }
    }

    fn put(&mut self, word: &str) {
        if !self.line.is_empty() {
            self.line.push(' ');
        }
        self.line.push_str(word);
    }
}

/// The functions of circom's `runtime`, and no others.
pub(crate) fn linker(engine: &Engine) -> Result<Linker<Host>, wasmi::Error> {
    let mut linker = Linker::new(engine);
    let raise = |_: Caller<'_, Host>, code: i32| -> Result<(), wasmi::Error> {
        Err(wasmi::Error::host(Raised(code)))
    };
    linker.func_wrap("runtime", "exceptionHandler", raise)?;
    linker.func_wrap("runtime", "printErrorMessage", |mut caller: Caller<'_, Host>| {
        let message = message(&mut caller)?;
        caller.data_mut().trace.push(message);
        Ok::<_, wasmi::Error>(())
    })?;
    linker.func_wrap("runtime", "writeBufferMessage", |mut caller: Caller<'_, Host>| {
        let message = message(&mut caller)?;
        let host = caller.data_mut();
        if message == "\n" {
            let line = std::mem::take(&mut host.line);
            host.log.push(line);
        } else {
            host.put(&message);
        }
        Ok::<_, wasmi::Error>(())
    })?;
    linker.func_wrap("runtime", "showSharedRWMemory", |mut caller: Caller<'_, Host>| {
        let number = shown(&mut caller)?;
        caller.data_mut().count(number.len())?;
        caller.data_mut().put(&number);
        Ok::<_, wasmi::Error>(())
    })?;
    Ok(linker)
}

/// The message that waits. What a terminal would take for a command becomes `?`.
fn message(caller: &mut Caller<'_, Host>) -> Result<String, wasmi::Error> {
    let next = called::<(), i32>(caller, "getMessageChar")?;
    let mut message = String::new();
    loop {
        let character = next.call(&mut *caller, ())?;
        match u8::try_from(character) {
            Ok(0) => break,
            Ok(byte) if byte.is_ascii_graphic() || byte == b' ' || byte == b'\n' => {
                message.push(char::from(byte));
            }
            _ => message.push('?'),
        }
        if message.len() > MAX_MESSAGE {
            return Err(wasmi::Error::new("a message has more than 2^12 characters"));
        }
    }
    caller.data_mut().count(message.len() + 1)?;
    Ok(message)
}

/// The number that `log` shows, in hexadecimal digits.
fn shown(caller: &mut Caller<'_, Host>) -> Result<String, wasmi::Error> {
    let read = called::<i32, i32>(caller, "readSharedRWMemory")?;
    let mut digits = String::new();
    for word in (0..WORDS).rev() {
        let word = read.call(&mut *caller, word)?;
        digits += &format!("{word:08x}");
    }
    let digits = digits.trim_start_matches('0');
    Ok(format!("0x{}", if digits.is_empty() { "0" } else { digits }))
}

fn called<P: wasmi::WasmParams, R: wasmi::WasmResults>(
    caller: &mut Caller<'_, Host>,
    name: &str,
) -> Result<wasmi::TypedFunc<P, R>, wasmi::Error> {
    let function = caller.get_export(name).and_then(|export| export.into_func());
    let function = function.ok_or_else(|| wasmi::Error::new(format!("it has no {name}")))?;
    function.typed::<P, R>(&*caller)
}
