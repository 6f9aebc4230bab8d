// Compiles contracts, deploys them, calls them and precompiles: evm.mjs PACKAGES REQUEST ANSWER, both in JSON.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [packages, from, to] = process.argv.slice(2)
const require = createRequire(pathToFileURL(join(packages, 'index.js')))
const solc = require('solc')
const { createEVM } = require('@ethereumjs/evm')
const { Common, Hardfork, Mainnet } = require('@ethereumjs/common')
const { bytesToHex, createAddressFromString, hexToBytes } = require('@ethereumjs/util')

const { sources, calls } = JSON.parse(readFileSync(from))
const settings = { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } }
const content = Object.fromEntries(Object.entries(sources).map(([name, text]) => [name, { content: text }]))
const isEmpty = Object.keys(sources).length === 0
const compiled = isEmpty ? {} : JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources: content, settings })))
const errors = compiled.errors ?? []
if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))

const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Prague }) })
// As in every transaction.
for (const address of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(address)
const gasLimit = 30_000_000n
const deployed = {}
const sizes = {}
for (const [file, contracts] of Object.entries(compiled.contracts ?? {})) {
  const [contract] = Object.values(contracts)
  const { createdAddress, execResult } = await evm.runCall({ data: hexToBytes('0x' + contract.evm.bytecode.object), gasLimit })
  if (execResult.exceptionError) throw new Error(`${file}: ${execResult.exceptionError.error}`)
  deployed[file] = createdAddress
  sizes[file] = execResult.returnValue.length
}
const results = []
for (const { contract, data } of calls) {
  const address = deployed[contract] ?? createAddressFromString(contract)
  const { execResult } = await evm.runCall({ to: address, data: hexToBytes(data), gasLimit })
  const { exceptionError, executionGasUsed, returnValue } = execResult
  results.push({ error: exceptionError?.error ?? null, returned: bytesToHex(returnValue), gas: Number(executionGasUsed) })
}
writeFileSync(to, JSON.stringify({ results, sizes }))
