// The groups of applications, and which applications are in each.

const members = {
  'Streaming services':
    '1kxun AmazonVideo AppleTVPlus Dazn DirecTV DisneyPlus HBO Hulu IFLIX iQIYI Livestream Netflix Showtime Twitch ' +
    'Vudu Zattoo',
  'Web resources':
    'AccuWeather Apple Bloomberg CNN Cybersec DTLS Google GoogleClassroom GoogleMaps GoogleServices HTTP HTTP2 ' +
    'HTTP_Connect HTTP_Proxy Huawei Microsoft Nvidia OCSP Ookla Pastebin Pluralsight QUIC Sina SOAP Tencent ' +
    'TeslaServices TLS Waze WebDAV WebSocket Wikipedia Xiaomi Yahoo Yandex YandexMetrika',
  'Computer games':
    'Activision AmongUs Armagetron CoD_Mobile Crossfire CryNetwork Dofus Dota2 ElectronicArts EpicGames ' +
    'GaijinEntertainment GeForceNow GenshinImpact Guildwars HalfLife2 Heroes_of_the_Storm i3D LoLWildRift MapleStory ' +
    'NetEaseGames Nintendo PathofExile Playstation RakNet RiotGames Roblox Source_Engine StarCraft Steam ' +
    'SteamDatagramRelay TencentGames TES_Online TocaBoca Warcraft3 WorldOfKungFu WorldOfWarcraft Xbox Yojimbo',
  'Video content': 'Dailymotion Likee TencentVideo TikTok Vimeo YouTube YouTubeUpload',
  Advertising: 'ADS_Analytic_Track YandexDirect',
  'Adult content': 'Badoo',
  'Data transfer':
    'AFP BJNP FLUTE FTP_CONTROL FTP_DATA FTPS IPP KCP MS_OneDrive NFS PGM RSYNC SMBv1 SMBv23 TFTP UFTP VHUA ZUG',
  'Cloud services':
    'AliCloud AmazonAWS AppleiCloud Azure Cachefly Cloudflare Crashlytics DataSaver Dropbox Edgecast GoogleCloud ' +
    'GoogleDocs GoogleDrive HuaweiCloud MerakiCloud Microsoft365 NestLogSink Salesforce SD-RTN UbuntuONE YandexCloud ' +
    'YandexDisk',
  'Virtual assistants': 'AmazonAlexa AppleSiri',
  RPC:
    'AJP AMQP Controller_Area_Network Corba DCERPC FastCGI FIX Gearman JRMI JSON-RPC Kafka MS-RPCH Nats OpenWire ' +
    'Protobuf Raft RX STOMP Thrift ZeroMQ',
  'IoT-SCADA':
    'ANSI_C1222 BACnet BeckhoffADS CIP COAP DNP3 EAQ Ether-S-Bus EthernetGlobalData EthernetIP EtherSIO FINS HART-IP ' +
    'HiSLIP HL7 IEC60870 IEC62056 IEEE-C37118 ISO9506-1-MMS KNXnet_IP Modbus MQTT OPC-UA PROFINET_IO RMCP RTPS S7Comm ' +
    'S7CommPlus SOMEIP TPLINK_SHP TuyaLP UMAS',
  'Remote access': 'AnyDesk Citrix GoTo NoMachine Radmin RDP RSH SSH TeamViewer Telnet VMware VNC XDMCP',
  'Software updates': 'AppleStore PlayStore WindowsUpdate',
  Networks:
    'BFD BGP CAPWAP CPHA DHCP DHCPV6 Diameter DLEP DNS DoH_DoT EGP GRE GTP GTP_C GTP_PRIME GTP_U HAProxy HP_VIRTGRP ' +
    'HSRP ICMP ICMPV6 IGMP IP_in_IP IP_PIM LDP LISP LLMNR MDNS NAT-PMP NetBIOS NetFlow OpenDNS OpenFlow OSPF PFCP ' +
    'RADIUS RipeAtlas SCTP Service_Location_Protocol sFlow SSDP STUN TargusDataspeed Teredo TiVoConnect Unknown VRRP ' +
    'VXLAN WSD',
  'Social networks':
    'Bluesky Facebook FbookReelStory Instagram Linkedin Mastodon Pinterest Reddit SinaWeibo Snapchat Threads Tumblr ' +
    'Twitter VK',
  Cryptocurrencies: 'BITCOIN ETHEREUM Monero Nano',
  'File sharing': 'BitTorrent eDonkey Gnutella Syncthing Usenet',
  System:
    'CHECKMK Collectd Git GitHub GitLab Kerberos Kismet LDAP Munin Ntop NTP OCS PTPv2 Roughtime SAP SNMP Syslog ' +
    'UBNTAC2 Whois-DAS Z3950 Zabbix',
  Databases: 'Cassandra Ceph ClickHouse DRDA Elasticsearch Memcached MongoDB MsSQL-TDS MySQL Oracle PostgreSQL RESP',
  VoIP:
    'BFCP CiscoSkinny FacebookVoip GoogleCall H323 IAX KakaoTalk_Voice LineCall Megaco MGCP Mumble NOE RTCP RTP ' +
    'SignalVoip SIP Skype_TeamsCall SnapchatCall SRTP TeamSpeak TelegramVoip TruPhone ViberVoip WhatsAppCall',
  VPN:
    'CiscoVPN CloudflareWarp FortiClient HotspotShield iCloudPrivateRelay IPSec Mullvad OpenVPN OperaVPN PPTP ' +
    'PrivateInternetAccess ProtonVPN Psiphon SOCKS Softether Tailscale TINC Tor TunnelBear UltraSurf WireGuard',
  Cybersecurity: 'AVAST AVASTSecureDNS DNScrypt',
  Music: 'AppleiTunes Deezer iHeartRadio LastFM Pandora SiriusXMRadio SoundCloud Spotify Tidal TuneIn YandexMusic',
  Teamwork: 'AdobeConnect Fuze GoogleMeet LotusNotes Slack Teams Webex Zoom',
  Shops: 'Alibaba Amazon eBay YandexMarket',
  'Chats and messengers':
    'ApplePush Discord FacebookMessenger GoogleChat IMO IRC Jabber KakaoTalk Line OICQ QQ Signal Skype_Teams SMPP ' +
    'Telegram Threema Viber WeChat WhatsApp WhatsAppFiles',
  Mail: 'GMail IMAP IMAPS Outlook POP3 POPS SMTP SMTPS YandexMail',
  'Media content': 'HLS IceCast MPEG_TS MpegDash RTMP RTSP',
  Mining: 'Mining',
} as const

export type Group = keyof typeof members
export const groups = Object.keys(members) as readonly Group[]

const groupByName = new Map(
  groups.flatMap((group) => members[group].split(' ').map((name): [string, Group] => [name, group])),
)

/** Every application is in one group: applications.test.ts holds it. */
export const groupOf = (name: string): Group => groupByName.get(name) ?? 'Networks'
