// The names of the applications that a profile can list (docs/behaviour/application-profiles.md 2). The number of an application is its
// place here, and it is in the sids of events: a new name goes to the end, and no name is ever removed.

export const names: readonly string[] = (
  '1kxun AccuWeather Activision AdobeConnect ADS_Analytic_Track AFP AJP Alibaba AliCloud Amazon AmazonAlexa ' +
  'AmazonAWS AmazonVideo AmongUs AMQP ANSI_C1222 AnyDesk Apple AppleiCloud AppleiTunes ApplePush AppleSiri ' +
  'AppleStore AppleTVPlus Armagetron AVAST AVASTSecureDNS Azure BACnet Badoo BeckhoffADS BFCP BFD BGP BITCOIN ' +
  'BitTorrent BJNP Bloomberg Bluesky Cachefly CAPWAP Cassandra Ceph CHECKMK CIP CiscoSkinny CiscoVPN Citrix ' +
  'ClickHouse Cloudflare CloudflareWarp CNN COAP CoD_Mobile Collectd Controller_Area_Network Corba CPHA Crashlytics ' +
  'Crossfire CryNetwork Cybersec Dailymotion DataSaver Dazn DCERPC Deezer DHCP DHCPV6 Diameter DirecTV Discord ' +
  'DisneyPlus DLEP DNP3 DNS DNScrypt Dofus DoH_DoT Dota2 DRDA Dropbox DTLS EAQ eBay Edgecast eDonkey EGP ' +
  'Elasticsearch ElectronicArts EpicGames ETHEREUM EthernetGlobalData EthernetIP Ether-S-Bus EtherSIO Facebook ' +
  'FacebookMessenger FacebookVoip FastCGI FbookReelStory FINS FIX FLUTE FortiClient FTP_CONTROL FTP_DATA FTPS Fuze ' +
  'GaijinEntertainment Gearman GeForceNow GenshinImpact Git GitHub GitLab GMail Gnutella Google GoogleCall ' +
  'GoogleChat GoogleClassroom GoogleCloud GoogleDocs GoogleDrive GoogleMaps GoogleMeet GoogleServices GoTo GRE ' +
  'GTP_C GTP_PRIME GTP_U GTP Guildwars H323 HalfLife2 HAProxy HART-IP HBO Heroes_of_the_Storm HiSLIP HL7 HLS ' +
  'HotspotShield HP_VIRTGRP HSRP HTTP_Connect HTTP_Proxy HTTP HTTP2 Huawei HuaweiCloud Hulu i3D IAX IceCast ' +
  'iCloudPrivateRelay ICMP ICMPV6 IEC60870 IEC62056 IEEE-C37118 IFLIX IGMP iHeartRadio IMAP IMAPS IMO Instagram ' +
  'IP_in_IP IP_PIM IPP IPSec iQIYI IRC ISO9506-1-MMS Jabber JRMI JSON-RPC Kafka KakaoTalk_Voice KakaoTalk KCP ' +
  'Kerberos Kismet KNXnet_IP LastFM LDAP LDP Likee Line LineCall Linkedin LISP Livestream LLMNR LoLWildRift ' +
  'LotusNotes MapleStory Mastodon MDNS Megaco Memcached MerakiCloud MGCP Microsoft Microsoft365 Mining Modbus ' +
  'Monero MongoDB MPEG_TS MpegDash MQTT MS_OneDrive MS-RPCH MsSQL-TDS Mullvad Mumble Munin MySQL Nano NAT-PMP Nats ' +
  'NestLogSink NetBIOS NetEaseGames Netflix NetFlow NFS Nintendo NOE NoMachine Ntop NTP Nvidia OCS OCSP OICQ Ookla ' +
  'OPC-UA OpenDNS OpenFlow OpenVPN OpenWire OperaVPN Oracle OSPF Outlook Pandora Pastebin PathofExile PFCP PGM ' +
  'Pinterest Playstation PlayStore Pluralsight POP3 POPS PostgreSQL PPTP PrivateInternetAccess PROFINET_IO Protobuf ' +
  'ProtonVPN Psiphon PTPv2 QQ QUIC RADIUS Radmin Raft RakNet RDP Reddit RESP RiotGames RipeAtlas RMCP Roblox ' +
  'Roughtime RSH RSYNC RTCP RTMP RTP RTPS RTSP RX S7Comm S7CommPlus Salesforce SAP SCTP SD-RTN ' +
  'Service_Location_Protocol sFlow Showtime Signal SignalVoip Sina SinaWeibo SIP SiriusXMRadio Skype_Teams ' +
  'Skype_TeamsCall Slack SMBv1 SMBv23 SMPP SMTP SMTPS Snapchat SnapchatCall SNMP SOAP SOCKS Softether SOMEIP ' +
  'SoundCloud Source_Engine Spotify SRTP SSDP SSH StarCraft Steam SteamDatagramRelay STOMP STUN Syncthing Syslog ' +
  'Tailscale TargusDataspeed Teams TeamSpeak TeamViewer Telegram TelegramVoip Telnet Tencent TencentGames ' +
  'TencentVideo Teredo TES_Online TeslaServices TFTP Threads Threema Thrift Tidal TikTok TINC TiVoConnect TLS ' +
  'TocaBoca Tor TPLINK_SHP TruPhone Tumblr TuneIn TunnelBear TuyaLP Twitch Twitter UBNTAC2 UbuntuONE UFTP UltraSurf ' +
  'UMAS Unknown Usenet VHUA Viber ViberVoip Vimeo VK VMware VNC VRRP Vudu VXLAN Warcraft3 Waze WebDAV Webex ' +
  'WebSocket WeChat WhatsApp WhatsAppCall WhatsAppFiles Whois-DAS Wikipedia WindowsUpdate WireGuard WorldOfKungFu ' +
  'WorldOfWarcraft WSD Xbox XDMCP Xiaomi Yahoo Yandex YandexCloud YandexDirect YandexDisk YandexMail YandexMarket ' +
  'YandexMetrika YandexMusic Yojimbo YouTube YouTubeUpload Z3950 Zabbix Zattoo ZeroMQ Zoom ZUG'
).split(' ')
