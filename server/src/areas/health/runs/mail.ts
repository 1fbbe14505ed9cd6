// One message by SMTP. Where it may go was decided before: the address is given, and the name only proves who answers.

import { Socket } from 'node:net'
import type { SendMailOptions, SMTPTransportOptions } from 'nodemailer'
import type { TakenInPart } from '../../../core/contract/health.ts'
import { type SaidText, say } from '../../../shared/said.ts'

export interface MailCall {
  /** The name of the server, for its certificate, and its address, looked up and checked by the caller. */
  readonly server: string
  readonly address: string
  readonly port: number
  /** `starttls` and `tls` never go on without encryption. */
  readonly security: 'none' | 'starttls' | 'tls'
  readonly login: string
  readonly password: string
  /** Certificates to trust instead of the usual ones; empty: the usual ones. */
  readonly ca: string
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The same for every try, so that a receiver can tell a repeated message. */
  readonly messageId: string
}

/** Null when the server took the message for every recipient; otherwise why not, in words for the administrator. */
export type SendMail = (call: MailCall) => Promise<string | TakenInPart | null>

const connectMilliseconds = 10_000
const totalMilliseconds = 20_000
const longestReply = 64 * 1024
const longestFault = 200
/** For the farewell, when everything else is done. */
const partingMilliseconds = 2_000

/** `hostName`: what this machine calls itself to the server. Tests set another time. */
export const createSendMail =
  (hostName: string, limitMilliseconds = totalMilliseconds): SendMail =>
  async (call) => {
    if (call.security === 'none' && call.login !== '')
      return say`A password is sent only over TLS. Use starttls or tls, or remove the login.`
    // Loaded when the first message is sent: most gateways send none for weeks.
    const { createTransport } = await import('nodemailer')
    // Ours, because nothing else ends a connection whose server sends a byte from time to time.
    const socket = new Socket()
    const transport = createTransport({ ...transportOptions(call, hostName), socket })
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The server did not take the message in time.')), limitMilliseconds)
    })
    try {
      const { rejected } = await Promise.race([transport.sendMail(messageOf(call)), tooLate])
      setTimeout(() => socket.destroy(), partingMilliseconds).unref()
      return rejected.length === 0 ? null : { note: say`The server refused the recipient ${String(rejected[0])}.` }
    } catch (error) {
      socket.destroy()
      return wordsFor(error as SmtpError)
    } finally {
      clearTimeout(timer)
    }
  }

function transportOptions(call: MailCall, name: string): SMTPTransportOptions {
  const { server, address, port, security, login, password, ca } = call
  return {
    host: address,
    port,
    name,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    // The server name is left out where it is an address: that is what the certificate is compared with then.
    tls: {
      minVersion: 'TLSv1.2',
      ...(server === address ? {} : { servername: server }),
      ...(ca === '' ? {} : { ca }),
    },
    ...(login === '' ? {} : { auth: { user: login, pass: password } }),
    connectionTimeout: connectMilliseconds,
    greetingTimeout: connectMilliseconds,
    socketTimeout: connectMilliseconds,
    maxResponseSize: longestReply,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Addresses as objects: nothing in them is read as a list or a name. */
const messageOf = ({ from, to, subject, text, messageId }: MailCall): SendMailOptions => ({
  from: { name: '', address: from },
  to: to.map((address) => ({ name: '', address })),
  subject,
  text,
  messageId: `<${messageId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
  // Automatic answers are not wanted (RFC 3834).
  headers: { 'Auto-Submitted': 'auto-generated' },
})

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
}

function wordsFor({ code = '', responseCode, response, message }: SmtpError): SaidText {
  if (code === 'EAUTH') return say`The server refuses the login or the password.`
  const said = (response ?? message).replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, longestFault)
  return responseCode === undefined
    ? say`The message was not sent: ${said}`
    : say`The server refused the message: ${said}`
}
