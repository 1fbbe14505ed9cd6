// The exporter: hears of connections that end, reads the kernel's table in between, and sends what both say as flows. One loop
// does all of it. It runs in a process of its own, so that a flood of connections costs nothing but the flood; what it cannot
// keep up with the kernel drops and counts.

import type { Socket } from 'node:dgram'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FlowReport } from '../../core/plan/facts.ts'
import type { FlowFile } from '../../engines/flow-export/settings-file.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { createEncoder, type Moment } from './encoder.ts'
import type { Flow } from './flow.ts'
import type { Kernel } from './kernel.ts'
import { Ledger, type LedgerParts, type Timeouts } from './ledger.ts'
import { createEndFinder } from './places.ts'

export interface ExporterParts {
  readonly kernel: Pick<Kernel, 'ended' | 'connections' | 'lost'>
  readonly timeouts: () => Timeouts
  readonly moment: () => Moment
  /** A socket that is connected to the collector. */
  readonly connect: (address: string, port: number) => Promise<Pick<Socket, 'send' | 'close' | 'on'>>
  readonly report: (report: FlowReport) => void
}

/** Connections that end are handled in groups of so many; between them signals and answers of the network get their turn. */
const endedAtOnce = 512
/** A connection of TCP that was closed is reported after at most so long. */
const lookMs = 10_000
/** Reading the table takes at most a twentieth of the time, however many connections there are. */
const lookShare = 20
/** How long a flow waits for others in its packet. */
const packetMs = 1_000
const reportMs = 2_000
/** A collector has little room for packets that come at once: a pause after so many. */
const burst = 64
const burstPauseMs = 5

export class Exporter {
  readonly #parts: ExporterParts
  #file: FlowFile
  #next: FlowFile | null = null
  #isStopping = false
  #encoder: ReturnType<typeof createEncoder>
  #ledger: Ledger
  #socket: Awaited<ReturnType<ExporterParts['connect']>> | null = null
  #inBurst = 0
  #packetSince = 0
  #counts = { flows: 0, packets: 0, failedPackets: 0 }
  #fault = ''

  constructor(file: FlowFile, parts: ExporterParts) {
    this.#parts = parts
    this.#file = file
    this.#encoder = createEncoder(file)
    this.#ledger = new Ledger(this.#ledgerParts(file), parts.moment().unixMs)
  }

  /** Other settings, from the next turn on. Everything that is open is reported with the earlier ones before. */
  change(file: FlowFile): void {
    this.#next = file
  }

  /** Everything that is open is reported, then `run` ends. */
  stop(): void {
    this.#isStopping = true
  }

  async run(): Promise<void> {
    const { kernel, moment, report } = this.#parts
    this.#socket = await this.#connect(this.#file)
    let lookAt = moment().upMs
    let reportAt = lookAt
    while (!this.#isStopping) {
      for (const tracked of kernel.ended(endedAtOnce)) await this.#send(this.#ledger.ended(tracked, moment().unixMs))
      await turn()
      if (this.#next) await this.#adopt(this.#next)
      const before = moment().upMs
      if (before >= lookAt) {
        await this.#look(false)
        const after = moment().upMs
        lookAt = after + Math.max(lookMs, (after - before) * lookShare)
      }
      this.#flush(this.#packetSince + packetMs)
      if (before >= reportAt) {
        report(this.#reportNow())
        reportAt = before + reportMs
      }
    }
    await this.#look(true)
    this.#flush(0)
    this.#socket.close()
  }

  async #adopt(file: FlowFile): Promise<void> {
    this.#next = null
    await this.#look(true)
    this.#flush(0)
    const isMoved = file.address !== this.#file.address || file.port !== this.#file.port
    // A collector that has no template yet could not read a flow, and another one has none.
    this.#encoder = createEncoder(file)
    this.#ledger.change(this.#ledgerParts(file), this.#parts.moment().unixMs)
    this.#file = file
    if (!isMoved) return
    this.#socket?.close()
    this.#fault = ''
    this.#socket = await this.#connect(file)
  }

  async #connect({ address, port }: FlowFile) {
    const socket = await this.#parts.connect(address, port)
    socket.on('error', (fault) => this.#failed(fault))
    return socket
  }

  #ledgerParts(file: FlowFile): LedgerParts {
    const places = file.interfaces.map((one) => ({
      ...one,
      networks: one.networks.flatMap((text) => parseNetwork(text) ?? []),
    }))
    const own = new Set(file.own.flatMap((text) => parseAddress(text) ?? []))
    return {
      endOf: createEndFinder(places, own),
      activeMs: file.activeSeconds * 1000,
      timeouts: this.#parts.timeouts(),
    }
  }

  /** Messages about ends that came in the meantime are handled afterwards, so that no connection is counted twice. */
  async #look(isLast: boolean): Promise<void> {
    const { kernel, moment } = this.#parts
    this.#ledger.begin()
    for (const piece of kernel.connections())
      for (const tracked of piece) await this.#send(this.#ledger.seen(tracked, moment().unixMs, isLast))
    for (let ended = kernel.ended(endedAtOnce, false); ended.length > 0; ended = kernel.ended(endedAtOnce, false))
      for (const tracked of ended) await this.#send(this.#ledger.ended(tracked, moment().unixMs))
    for (const flow of this.#ledger.finish()) await this.#send([flow])
  }

  /** Most connections have nothing to report, and must not cost a turn of the loop. */
  #send(flows: readonly Flow[]): Promise<void> | undefined {
    if (flows.length === 0) return undefined
    const now = this.#parts.moment()
    if (this.#encoder.waiting === 0) this.#packetSince = now.upMs
    for (const flow of flows) for (const packet of this.#encoder.add(flow, now)) this.#transmit(packet)
    this.#counts.flows += flows.length
    if (this.#inBurst < burst) return undefined
    this.#inBurst = 0
    return pause(burstPauseMs)
  }

  #flush(dueAt: number): void {
    const now = this.#parts.moment()
    if (this.#encoder.waiting > 0 && now.upMs < dueAt) return
    for (const packet of this.#encoder.flush(now)) this.#transmit(packet)
  }

  #transmit(packet: Buffer, isRepeated = false): void {
    this.#inBurst += 1
    this.#socket?.send(packet, (fault) => {
      if (!fault) {
        this.#counts.packets += 1
        if (!isRepeated) this.#fault = ''
        return
      }
      this.#failed(fault)
      // The refusal was the answer to an earlier packet: this one has not been sent yet.
      if (!isRepeated && (fault as NodeJS.ErrnoException).code === 'ECONNREFUSED') this.#transmit(packet, true)
    })
  }

  #failed(fault: NodeJS.ErrnoException): void {
    this.#fault = fault.code ?? 'EIO'
    this.#counts.failedPackets += 1
  }

  #reportNow(): FlowReport {
    return {
      at: Math.floor(this.#parts.moment().unixMs / 1000),
      ...this.#counts,
      lostConnections: this.#parts.kernel.lost(),
      open: this.#ledger.size,
      fault: this.#fault,
    }
  }
}
