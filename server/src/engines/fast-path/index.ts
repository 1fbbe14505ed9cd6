// The fast path of the kernel (a flowtable of nftables). No program, only a way of packets.

import { declareEngine } from '../../core/engine/engine.ts'
import packages from './packages.json' with { type: 'json' }

export const fastPath = declareEngine({
  service: 'fast-path',
  title: 'fast path of the kernel',
  packages,
  folders: [],
  files: {},
  fileTemplates: {},
  units: {},
  unitTemplates: {},
  ports: {},
  kernel: [],
})
