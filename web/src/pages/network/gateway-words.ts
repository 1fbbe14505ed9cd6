// Sentences of the gateway about connections, tunnels and mirrors, so that they are translated. Pure.

import { learn, msg } from '../../words.ts'

/** What it says word by word. */
export const sentences: readonly string[] = [
  msg('The two cards must be different ones.'),
  msg('The devices of the machine are not listed in a form that the gateway reads.'),
  msg('This field is missing.'),
  msg('Must be the MAC of a card or the id of an aggregated interface.'),
  msg('Must be an IPv4 address with a prefix.'),
  msg('Must be the password itself.'),
  msg('Without DHCP a connection needs at least one address.'),
  msg('A loopback interface needs at least one address.'),
  msg('An interface cannot have this address.'),
  msg('This is the address of the network itself, not of an interface in it.'),
  msg('This is the broadcast address of the network.'),
  msg('The gateway must be another machine.'),
  msg('The gateway must be inside a network of this interface.'),
  msg('The server must be another machine.'),
  msg('A gateway is needed, because the server is not in a network of this connection.'),
  msg('The parent interface does not have this address.'),
  msg('Only local and external Ethernet interfaces, tunnels and VPN traffic can be mirrored.'),
  msg('The kernel does not have the setting here.'),
]

/** What it says with names and values in it. */
const patterns: readonly string[] = [
  msg('Stored and checked, not applied: {why}'),
  msg('The {field} of a connection cannot be changed.'),
  msg('A connection of the type {type} does not have this field.'),
  msg('Must have at most {limit} characters.'),
  msg('Must be {value} for a loopback interface.'),
  msg('The card belongs to the aggregated interface {name}.'),
  msg('The card belongs to {name}.'),
  msg('The card already carries {name}; a further connection on it needs a VLAN tag.'),
  msg('{name} already has the tag {tag} on this card.'),
  msg('The card is passed into a virtual environment by {name}.'),
  msg('The tag {tag} of this card is passed into a virtual environment by {name}.'),
  msg('The card is the destination of the mirror {name}.'),
  msg('The address of {address} is listed twice.'),
  msg('{name} has this address already.'),
  msg('Its network overlaps with {network} of {name}.'),
  msg('{name} already connects this interface to this server.'),
  msg('The card or its VLAN is in use by {name}.'),
  msg('A mirror needs a free card; this one is in use by {name}.'),
  msg('The kernel does not let the gateway write {file}: {reason}.'),
  msg('{file} has another value.'),
  msg('Another program had set it to {value}; it was corrected at {time}.'),
]

learn(patterns)
