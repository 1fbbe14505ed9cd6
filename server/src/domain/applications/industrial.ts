// Protocols of machines, buildings and meters, by their first bytes.

import { byBytes, datagram, lengthAt, opens, type Recognised, replies } from './pattern.ts'

const tuya = 'content:"|00 00 55 aa|"; startswith; content:"|00 00 aa 55|"; endswith;'
const hart = 'dsize:13; content:"|01 00 00 00|"; startswith; content:"|00 0d|"; offset:6; depth:2;'
const dnp3 = 'content:"|05 64|"; startswith; byte_test:1,>,4,2; byte_test:1,>,63,3; dsize:9<>293;'
const plug = 'content:"|d0 f2 81 f8 8b ff 9a f7 d5 ef 94 b6|";'

export const industrial: Readonly<Record<string, Recognised>> = {
  BACnet: byBytes(
    datagram(`content:"|81|"; startswith; byte_test:1,<,13,1; content:"|01|"; offset:4; depth:1; ${lengthAt(2, 2)}`),
  ),
  // Header of AMS/TCP, two addresses that end with 1.1, flags of a request.
  BeckhoffADS: byBytes(
    opens(
      'content:"|00 00|"; startswith; content:"|01 01|"; offset:10; depth:2; content:"|01 01|"; offset:18; depth:2; content:"|04 00|"; offset:24; depth:2;',
    ),
  ),
  CIP: byBytes(
    replies(
      'content:"|6f 00|"; startswith; content:"|00 00 00 00|"; offset:8; depth:4; content:"|b2 00|"; offset:36; depth:2;',
    ),
  ),
  // The options start with a path, after a token of 0, 1, 2, 4 or 8 bytes.
  COAP: byBytes(
    ...[0, 1, 2, 4, 8].map((token) =>
      datagram(
        `dsize:6<>1200; byte_test:1,=,${0x40 + token},0,bitmask 0xef; byte_test:1,>,0,1; byte_test:1,<,5,1; byte_test:1,>,0xb0,${4 + token}; byte_test:1,<,0xbd,${4 + token}; byte_test:1,>,0x20,${5 + token}; byte_test:1,<,0x7f,${5 + token};`,
      ),
    ),
  ),
  DNP3: byBytes(opens(dnp3), datagram(dnp3)),
  EthernetIP: byBytes(
    opens('content:"|65 00 04 00 00 00 00 00|"; startswith; dsize:28;'),
    datagram('dsize:24; content:"|63 00 00 00 00 00 00 00 00 00 00 00|"; startswith;'),
  ),
  FINS: byBytes(
    opens('content:"FINS|00 00 00|"; startswith;'),
    datagram('dsize:11<>2000; content:"|80 00 02|"; startswith; content:"|01 01|"; offset:10; depth:2;'),
    datagram('dsize:11<>20; content:"|80 00 02|"; startswith; content:"|05 01|"; offset:10; depth:2;'),
  ),
  'HART-IP': byBytes(opens(hart), datagram(hart)),
  HiSLIP: byBytes(opens('content:"HS|00 00|"; startswith; dsize:>15;')),
  HL7: byBytes(opens('content:"|0b|MSH|7c 5e 7e 5c|"; startswith;')),
  IEC60870: byBytes(opens('content:"|68 04 07 00 00 00|"; startswith; dsize:6;')),
  IEC62056: byBytes(
    opens('content:"/?"; startswith; content:"!|0d 0a|"; endswith; dsize:<40;'),
    opens(
      'content:"|00 01 00|"; startswith; content:"|00 01 00|"; offset:3; depth:4; content:"|60|"; offset:8; depth:1;',
    ),
  ),
  'IEEE-C37118': byBytes(
    opens('content:"|aa 41 00 12|"; startswith; dsize:18;'),
    datagram('content:"|aa 41 00 12|"; startswith; dsize:18;'),
  ),
  'ISO9506-1-MMS': byBytes(
    replies('content:"|03 00|"; startswith; content:"|02 f0 80 0d|"; offset:4; depth:4; content:"|28 ca 22 02|";'),
  ),
  KNXnet_IP: byBytes(datagram(`content:"|06 10|"; startswith; byte_test:1,<,6,2; ${lengthAt(2, 4)}`)),
  Modbus: byBytes(
    opens(
      `dsize:7<>261; content:"|00 00 00|"; offset:2; depth:3; byte_test:1,>,0,7; byte_test:1,<,0x2c,7; ${lengthAt(2, 4, 6)}`,
    ),
  ),
  UMAS: byBytes(
    opens(
      `dsize:7<>261; content:"|00 00|"; offset:2; depth:2; content:"|5a|"; offset:7; depth:1; ${lengthAt(2, 4, 6)}`,
    ),
  ),
  MQTT: byBytes(
    opens('content:"|10|"; startswith; content:"|00 04|MQTT"; offset:2; depth:9;'),
    opens('content:"|10|"; startswith; content:"|00 06|MQIsdp"; offset:2; depth:11;'),
  ),
  'OPC-UA': byBytes(opens('content:"HELF"; startswith; content:"opc.tcp|3a|//"; offset:28; depth:14;')),
  PROFINET_IO: byBytes(
    datagram('content:"|04 00|"; startswith; content:"|00 00 a0 de 97 6c d1 11 82 71|"; offset:8; depth:50;'),
    datagram('content:"|04 00|"; startswith; content:"|01 00 a0 de 97 6c d1 11 82 71|"; offset:8; depth:50;'),
    datagram('content:"|04 00|"; startswith; content:"|de a0 00 01 6c 97 11 d1 82 71|"; offset:8; depth:50;'),
  ),
  RMCP: byBytes(datagram('content:"|06 00 ff|"; startswith; byte_test:1,>,5,3; byte_test:1,<,8,3; dsize:<200;')),
  RTPS: byBytes(datagram('content:"RTPS|02|"; startswith; dsize:>19;')),
  S7Comm: byBytes(replies('content:"|03 00|"; startswith; content:"|02 f0 80 32|"; offset:4; depth:4;')),
  S7CommPlus: byBytes(replies('content:"|03 00|"; startswith; content:"|02 f0 80 72|"; offset:4; depth:4;')),
  SOMEIP: byBytes(datagram('content:"|ff ff 81 00|"; startswith; content:"|01 01 02 00|"; offset:12; depth:4;')),
  TPLINK_SHP: byBytes(datagram(`${plug} startswith;`), opens(`${plug} offset:4; depth:12;`)),
  TuyaLP: byBytes(opens(tuya), datagram(tuya)),
}
