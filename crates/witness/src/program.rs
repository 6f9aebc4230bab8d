//! A circuit's program, and the session with it.

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::Curve;
use wasmi::{Config, Instance, Module, Store, TrapCode, TypedFunc, WasmParams, WasmResults};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    Error, Limits,
    host::{Host, Raised, WORDS, linker},
    inputs::{hash, parse},
};

/// At most so many bytes of a program; no circuit that fits any parameters needs as many.
const MAX_LEN: usize = 1 << 28;
/// At most so many wires: more than the largest phase 1 has rows for.
const MAX_WIRES: i32 = 1 << 28;

/// The program that circom writes for a circuit.
pub struct Program {
    engine: wasmi::Engine,
    module: Module,
    limits: Limits,
}

impl Program {
    /// Reads a `.wasm` file of circom 2 and checks all of its code.
    ///
    /// # Errors
    /// [`Error::Module`].
    pub fn new(wasm: &[u8], limits: Limits) -> Result<Self, Error> {
        if wasm.len() > MAX_LEN {
            return Err(Error::Module { reason: "it has more than 2^28 bytes".to_owned() });
        }
        let mut config = Config::default();
        config.consume_fuel(true).floats(false).allow_start_fn(false).ignore_custom_sections(true);
        config.wasm_multi_memory(false);
        let engine = wasmi::Engine::new(&config);
        let bad = |error: wasmi::Error| Error::Module { reason: error.to_string() };
        let module = Module::new(&engine, wasm).map_err(bad)?;
        Ok(Self { engine, module, limits })
    }

    /// The curve in whose scalar field the circuit computes.
    ///
    /// # Errors
    /// [`Error::Field`] if it is the field of another curve; other errors if circom did not write the program.
    pub fn curve(&self) -> Result<Curve, Error> {
        let prime = Session::start(self)?.prime()?;
        if prime == Bn254::scalar_modulus() {
            Ok(Curve::Bn254)
        } else if prime == Bls12381::scalar_modulus() {
            Ok(Curve::Bls12381)
        } else {
            Err(Error::Field { expected: "BN254 and BLS12-381" })
        }
    }

    /// All wires, from inputs in JSON. The lines that the circuit prints by `log` are added to `log`, also if
    /// there is an error; its numbers are in hexadecimal digits.
    ///
    /// # Errors
    /// [`Error::Json`], [`Error::Input`] and [`Error::Missing`] for the inputs, [`Error::Refused`] if an
    /// assertion of the circuit fails, and what is wrong with the program.
    pub fn witness<E: Engine>(
        &self,
        inputs: &str,
        log: &mut Vec<String>,
    ) -> Result<Zeroizing<Vec<ScalarOf<E>>>, Error> {
        let mut session = Session::start(self)?;
        let witness = session.witness::<E>(inputs);
        log.append(&mut session.store.data_mut().log);
        session.erase();
        witness
    }
}

/// Appends to a list that is secret. A `Vec` that grows by itself leaves copies behind, and with room for all wires
/// at once the program would choose how much memory that is.
fn push<S: Scalar>(list: &mut Zeroizing<Vec<S>>, scalar: S) {
    if list.len() == list.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity((2 * list.len()).max(1 << 10)));
        larger.extend_from_slice(list);
        *list = larger;
    }
    list.push(scalar);
}

/// A program that runs.
struct Session {
    store: Store<Host>,
    instance: Instance,
    limits: Limits,
    read: TypedFunc<i32, i32>,
    write: TypedFunc<(i32, i32), ()>,
}

impl Session {
    fn start(program: &Program) -> Result<Self, Error> {
        let limits = program.limits;
        let mut store = Store::new(&program.engine, Host::new(&limits));
        store.limiter(|host| &mut host.limits);
        let bad = |error: wasmi::Error| Error::Module { reason: error.to_string() };
        store.set_fuel(limits.steps).map_err(bad)?;
        let instance = linker(&program.engine)
            .and_then(|linker| linker.instantiate_and_start(&mut store, &program.module))
            .map_err(bad)?;
        let read = function(&store, &instance, "readSharedRWMemory")?;
        let write = function(&store, &instance, "writeSharedRWMemory")?;
        let mut session = Self { store, instance, limits, read, write };
        match session.ask("getVersion")? {
            2 => Ok(session),
            major => Err(Error::Version { major }),
        }
    }

    /// The order of the field, 32 bytes little-endian.
    fn prime(&mut self) -> Result<Vec<u8>, Error> {
        if self.ask("getFieldNumLen32")? != WORDS {
            return Err(Error::Field { expected: "BN254 and BLS12-381" });
        }
        self.call::<(), ()>("getRawPrime", ())?;
        Ok(self.shared()?.to_vec())
    }

    fn witness<E: Engine>(&mut self, inputs: &str) -> Result<Zeroizing<Vec<ScalarOf<E>>>, Error> {
        if self.prime()? != E::scalar_modulus() {
            return Err(Error::Field { expected: E::NAME });
        }
        // The argument is the `sanityCheck` of circom's own calculators.
        self.call::<i32, ()>("init", 1)?;
        self.set_inputs::<E>(inputs)?;
        let wires = self.ask("getWitnessSize")?;
        if !(1..=MAX_WIRES).contains(&wires) {
            return Err(Error::Witness { reason: "it has no wire, or more than 2^28" });
        }
        let get: TypedFunc<i32, ()> = function(&self.store, &self.instance, "getWitness")?;
        let mut witness = Zeroizing::new(Vec::new());
        for wire in 0..wires {
            get.call(&mut self.store, wire).map_err(|error| self.failure(error))?;
            let bytes = self.shared()?;
            let unreduced = |_| Error::Witness { reason: "a wire is not reduced" };
            push(&mut witness, ScalarOf::<E>::decode(&bytes).map_err(unreduced)?);
        }
        if witness.first() != Some(&ScalarOf::<E>::one()) {
            return Err(Error::Witness { reason: "the first wire is not one" });
        }
        Ok(witness)
    }

    /// Sets the program's inputs, which it knows by hashes of their names. When the last one is set, it runs
    /// the circuit.
    fn set_inputs<E: Engine>(&mut self, inputs: &str) -> Result<(), Error> {
        let inputs = parse::<ScalarOf<E>>(inputs)?;
        let size_of: TypedFunc<(i32, i32), i32> =
            function(&self.store, &self.instance, "getInputSignalSize")?;
        let set: TypedFunc<(i32, i32, i32), ()> =
            function(&self.store, &self.instance, "setInputSignal")?;
        let mut got = 0_u32;
        for input in inputs {
            let (high, low) = hash(&input.name);
            let bad = |reason: String| Error::Input { name: input.name.clone(), reason };
            let size = size_of.call(&mut self.store, (high, low));
            let size = size.map_err(|error| self.failure(error))?;
            // Programs of some versions say 0 and not −1 of names that they do not know.
            if size < 0 || (size == 0 && !input.values.is_empty()) {
                return Err(bad("the circuit has no such input".to_owned()));
            }
            if input.values.len() != size as usize {
                let count = input.values.len();
                return Err(bad(format!("{count} values, where the circuit takes {size}")));
            }
            for (index, value) in (0..size).zip(input.values.iter()) {
                let bytes = Zeroizing::new(value.encode());
                let (words, _) = bytes.as_chunks::<4>();
                for (word, bytes) in (0..WORDS).zip(words) {
                    let word = (word, i32::from_le_bytes(*bytes));
                    self.write.call(&mut self.store, word).map_err(|e| self.failure(e))?;
                }
                set.call(&mut self.store, (high, low, index)).map_err(|e| self.failure(e))?;
                got += 1;
            }
        }
        // A negative answer becomes 2^31 or more, which no inputs reach, and is refused.
        let expected = self.ask("getInputSize")? as u32;
        if got == expected { Ok(()) } else { Err(Error::Missing { expected, got }) }
    }

    /// The 32 bytes by which scalars come and go, little-endian.
    fn shared(&mut self) -> Result<Zeroizing<[u8; 32]>, Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        let (words, _) = bytes.as_chunks_mut::<4>();
        for (word, bytes) in (0..WORDS).zip(words) {
            let read = self.read.call(&mut self.store, word);
            *bytes = read.map_err(|error| self.failure(error))?.to_le_bytes();
        }
        Ok(bytes)
    }

    fn ask(&mut self, name: &'static str) -> Result<i32, Error> {
        self.call(name, ())
    }

    fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        name: &'static str,
        parameters: P,
    ) -> Result<R, Error> {
        let function: TypedFunc<P, R> = function(&self.store, &self.instance, name)?;
        function.call(&mut self.store, parameters).map_err(|error| self.failure(error))
    }

    /// Why a call did not return.
    fn failure(&self, error: wasmi::Error) -> Error {
        if let Some(raised) = error.downcast_ref::<Raised>() {
            let trace = self.store.data().trace.join("; ");
            let place = if trace.is_empty() { String::new() } else { format!(": {trace}") };
            return Error::Refused { reason: format!("{raised}{place}") };
        }
        match error.as_trap_code() {
            Some(TrapCode::OutOfFuel) => Error::Steps { steps: self.limits.steps },
            Some(TrapCode::GrowthOperationLimited) => Error::Memory { bytes: self.limits.memory },
            _ => Error::Failed { reason: error.to_string() },
        }
    }

    /// Overwrites the program's memory, where inputs and wires are. circom's programs export it under this name;
    /// that of any other is out of reach.
    fn erase(&mut self) {
        if let Some(memory) = self.instance.get_memory(&self.store, "memory") {
            memory.data_mut(&mut self.store).zeroize();
        }
    }
}

fn function<P: WasmParams, R: WasmResults>(
    store: &Store<Host>,
    instance: &Instance,
    name: &'static str,
) -> Result<TypedFunc<P, R>, Error> {
    instance.get_typed_func(store, name).map_err(|_| Error::Export { name })
}
