// Groups of applications in the language of the page.

import { msg, t } from '../../words.ts'

const words: Readonly<Record<string, string>> = {
  'Streaming services': msg('Streaming services'),
  'Web resources': msg('Web resources'),
  'Computer games': msg('Computer games'),
  'Video content': msg('Video content'),
  Advertising: msg('Advertising'),
  'Adult content': msg('Adult content'),
  'Data transfer': msg('Data transfer'),
  'Cloud services': msg('Cloud services'),
  'Virtual assistants': msg('Virtual assistants'),
  RPC: msg('RPC'),
  'IoT-SCADA': msg('IoT-SCADA'),
  'Remote access': msg('Remote access'),
  'Software updates': msg('Software updates'),
  Networks: msg('Networks'),
  'Social networks': msg('Social networks'),
  Cryptocurrencies: msg('Cryptocurrencies'),
  'File sharing': msg('File sharing'),
  System: msg('System'),
  Databases: msg('Database servers'),
  VoIP: msg('VoIP'),
  VPN: msg('VPN'),
  Cybersecurity: msg('Cybersecurity'),
  Music: msg('Music'),
  Teamwork: msg('Teamwork'),
  Shops: msg('Shops'),
  'Chats and messengers': msg('Chats and messengers'),
  Mail: msg('Mail'),
  'Media content': msg('Media content'),
  Mining: msg('Mining'),
}

/** A group that this console does not know keeps the name that the gateway gives it. */
export const groupWord = (group: string): string => {
  const word = Object.hasOwn(words, group) ? words[group] : undefined
  return word === undefined ? group : t(word)
}
