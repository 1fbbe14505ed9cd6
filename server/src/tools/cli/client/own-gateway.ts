// The gateway of this machine as its root sees it: the address it serves on loopback, and the certificate in its state, which is the
// proof that the answer comes from it. Root uses the interface like everyone else: there is no door beside it.

import type { Context } from '../context.ts'
import { noConnection } from '../failure.ts'
import { readCertificate, type ShownCertificate, strangeCertificate } from './connection.ts'
import { certificateInState, defaultAddress, localAddress } from './local-gateway.ts'

export interface OwnGateway {
  readonly address: string
  readonly certificate: ShownCertificate
}

export async function findOwnGateway(context: Context, given?: string): Promise<OwnGateway> {
  const address = given ?? localAddress(context) ?? defaultAddress
  const expected = certificateInState(context)?.fingerprint ?? null
  if (expected === null)
    throw noConnection('The gateway of this machine has no certificate yet. Check that it is running.', [
      'systemctl status portcullis.target',
    ])
  const certificate = await readCertificate(address)
  if (certificate.fingerprint !== expected) throw strangeCertificate(address, expected, certificate.fingerprint)
  return { address, certificate }
}
