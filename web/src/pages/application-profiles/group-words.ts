// Groups of applications in the language of the page.

import { msg, t } from '../../words.ts'

const words = new Set([
  msg('Streaming services'),
  msg('Web resources'),
  msg('Computer games'),
  msg('Video content'),
  msg('Advertising'),
  msg('Adult content'),
  msg('Data transfer'),
  msg('Cloud services'),
  msg('Virtual assistants'),
  msg('RPC'),
  msg('IoT-SCADA'),
  msg('Remote access'),
  msg('Software updates'),
  msg('Networks'),
  msg('Social networks'),
  msg('Cryptocurrencies'),
  msg('File sharing'),
  msg('System'),
  msg('Databases'),
  msg('VoIP'),
  msg('VPN'),
  msg('Cybersecurity'),
  msg('Music'),
  msg('Teamwork'),
  msg('Shops'),
  msg('Chats and messengers'),
  msg('Mail'),
  msg('Media content'),
  msg('Mining'),
])

/** A group that this console does not know keeps the name that the gateway gives it. */
export const groupWord = (group: string): string => (words.has(group) ? t(group) : group)
