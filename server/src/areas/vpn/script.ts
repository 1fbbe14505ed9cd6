// The PowerShell script that sets up an SSTP connection on a Windows client. Values of administrators enter it only as
// single-quoted literals.

import type { PushedRoutes, VpnSettings } from './contract.ts'

/**
 * Inside single quotes PowerShell knows one special character, the quote, written twice; it takes the four typographic ones
 * for the same (about_Quoting_Rules).
 */
export const literal = (value: string): string => `'${value.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`

export const isSstpAvailable = ({ sstp }: VpnSettings): boolean => sstp.enabled && sstp.domain !== null

/** The mark at the beginning makes every PowerShell read UTF-8: older ones guess the encoding, and a wrong guess can turn letters into quotes. */
const byteOrderMark = '\ufeff'

export interface ScriptValues {
  readonly domain: string
  readonly port: number
  readonly dnsSuffix: string
  readonly mode: PushedRoutes['mode']
}

export const sstpScript = ({ domain, port, dnsSuffix, mode }: ScriptValues): string =>
  byteOrderMark +
  [
    '# Sets up an SSTP connection to the gateway for the user who runs this script. Running it again replaces the connection.',
    '#Requires -Version 5.0',
    "$ErrorActionPreference = 'Stop'",
    '',
    '$connection = @{',
    `    Name                 = ${literal(`${domain} VPN SSTP`)}`,
    `    ServerAddress        = ${literal(`${domain}:${port}`)}`,
    "    TunnelType           = 'Sstp'",
    "    AuthenticationMethod = 'MSChapv2'",
    "    EncryptionLevel      = 'Required'",
    '    RememberCredential   = $true',
    // Without it Windows sends everything through the tunnel, whatever routes it gets.
    `    SplitTunneling       = $${mode !== 'all'}`,
    ...(dnsSuffix === '' ? [] : [`    DnsSuffix            = ${literal(dnsSuffix)}`]),
    '    Force                = $true',
    '}',
    '',
    'if (Get-VpnConnection -Name $connection.Name -ErrorAction SilentlyContinue) {',
    '    Remove-VpnConnection -Name $connection.Name -Force',
    '}',
    'Add-VpnConnection @connection',
    '',
  ].join('\r\n')

/** Domains hold nothing that a header would have to quote. */
export const scriptFileName = (domain: string): string => `${domain}_VPN_SSTP.ps1`
