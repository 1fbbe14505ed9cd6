// Services, by the names of their servers: in TLS, in QUIC, in HTTP and in lookups of DNS. A name covers the names below it, except
// those that another service lists: www.google.com is Google, mail.google.com is GMail.

import type { Pattern } from './application.ts'

const listed: Readonly<Record<string, string>> = {
  '1kxun': '1kxun.com 1kxun.mobi',
  AccuWeather: 'accuweather.com',
  Activision: 'activision.com callofduty.com demonware.net',
  AdobeConnect: 'adobeconnect.com',
  ADS_Analytic_Track:
    'doubleclick.net googlesyndication.com googleadservices.com google-analytics.com googletagmanager.com ' +
    'scorecardresearch.com adnxs.com criteo.com taboola.com outbrain.com hotjar.com adservice.google.com appsflyer.com ' +
    'adjust.com amazon-adsystem.com quantserve.com chartbeat.com mixpanel.com',
  Alibaba: 'alibaba.com alicdn.com aliexpress.com taobao.com tmall.com',
  AliCloud: 'aliyun.com aliyuncs.com alibabacloud.com',
  Amazon:
    'amazon.com amazon.co.uk amazon.de amazon.fr amazon.co.jp amazon.it amazon.es amazon.ca media-amazon.com ssl-images-amazon.com',
  AmazonAlexa: 'alexa.amazon.com avs-alexa-na.amazon.com avs-alexa-eu.amazon.com alexa.com',
  AmazonAWS: 'amazonaws.com aws.amazon.com awsstatic.com',
  AmazonVideo: 'primevideo.com aiv-cdn.net aiv-delivery.net amazonvideo.com atv-ps.amazon.com',
  AnyDesk: 'anydesk.com',
  Apple: 'apple.com mzstatic.com aaplimg.com apple-dns.net cdn-apple.com',
  AppleiCloud: 'icloud.com icloud-content.com me.com',
  AppleiTunes: 'itunes.apple.com music.apple.com itunes.com',
  ApplePush: 'push.apple.com',
  AppleSiri: 'siri.apple.com guzzoni.apple.com',
  AppleStore: 'apps.apple.com appstore.com swcdn.apple.com swscan.apple.com',
  AppleTVPlus: 'tv.apple.com',
  AVAST: 'avast.com avcdn.net avg.com',
  AVASTSecureDNS: 'securedns.avast.com',
  Azure: 'azure.com windows.net azureedge.net azurewebsites.net azurefd.net trafficmanager.net',
  Badoo: 'badoo.com badoocdn.com',
  Bloomberg: 'bloomberg.com bbthat.com',
  Bluesky: 'bsky.app bsky.social bsky.network',
  Cachefly: 'cachefly.com cachefly.net',
  Citrix: 'citrix.com citrixonline.com cloud.com',
  Cloudflare: 'cloudflare.com cloudflare.net cloudflareinsights.com',
  CloudflareWarp: 'cloudflareclient.com warp.plus',
  CNN: 'cnn.com cnn.io',
  CoD_Mobile: 'codm.garena.com callofdutymobile.com',
  Crashlytics: 'crashlytics.com firebase-settings.crashlytics.com',
  Cybersec: 'cybersec.com',
  Dailymotion: 'dailymotion.com dmcdn.net dm-event.net',
  DataSaver: 'datasaver.googleapis.com litepages.googlezip.net',
  Dazn: 'dazn.com dazndn.com indazn.com',
  Deezer: 'deezer.com dzcdn.net',
  DirecTV: 'directv.com directvnow.com',
  Discord: 'discord.com discord.gg discordapp.com discordapp.net discord.media',
  DisneyPlus: 'disneyplus.com disney-plus.net dssott.com bamgrid.com',
  DoH_DoT:
    'dns.google dns.google.com cloudflare-dns.com one.one.one.one dns.quad9.net doh.opendns.com dns.adguard.com ' +
    'dns.adguard-dns.com doh.cleanbrowsing.org dns.nextdns.io doh.dns.sb common.dot.dns.yandex.net mozilla.cloudflare-dns.com',
  Dofus: 'dofus.com ankama.com ankama-games.com',
  Dota2: 'dota2.com dota2.net',
  Dropbox: 'dropbox.com dropboxapi.com dropboxstatic.com dropboxusercontent.com db.tt getdropbox.com',
  eBay: 'ebay.com ebay.co.uk ebay.de ebaystatic.com ebayimg.com',
  Edgecast: 'edgecastcdn.net edgecast.com',
  ElectronicArts: 'ea.com origin.com eaassets-a.akamaihd.net',
  EpicGames: 'epicgames.com unrealengine.com epicgames.dev fortnite.com',
  Facebook: 'facebook.com facebook.net fbcdn.net fb.com fb.me fbsbx.com',
  FacebookMessenger: 'messenger.com m.me edge-chat.facebook.com mqtt-mini.facebook.com edge-mqtt.facebook.com',
  FortiClient: 'forticlient.com',
  Fuze: 'fuze.com fuzemeeting.com',
  GaijinEntertainment: 'gaijin.net gaijinent.com warthunder.com gaijin.ru',
  GeForceNow: 'geforcenow.com nvidiagrid.net',
  GenshinImpact: 'mihoyo.com hoyoverse.com yuanshen.com genshinimpact.com',
  GitHub: 'github.com githubusercontent.com githubassets.com github.io ghcr.io github.dev',
  GitLab: 'gitlab.com gitlab.io gitlab-static.net',
  GMail: 'gmail.com mail.google.com imap.gmail.com smtp.gmail.com inbox.google.com',
  Google: 'google.com google.ru google.de google.co.uk google.fr gstatic.com googleusercontent.com ggpht.com goo.gl',
  GoogleChat: 'chat.google.com hangouts.google.com',
  GoogleClassroom: 'classroom.google.com',
  GoogleCloud: 'cloud.google.com googlecloud.com appspot.com run.app cloudfunctions.net',
  GoogleDocs: 'docs.google.com sheets.google.com slides.google.com',
  GoogleDrive: 'drive.google.com drive.usercontent.google.com',
  GoogleMaps: 'maps.google.com maps.gstatic.com maps.googleapis.com',
  GoogleMeet: 'meet.google.com meetings.googleapis.com',
  GoogleServices: 'googleapis.com gvt1.com gvt2.com clients1.google.com clients2.google.com clients4.google.com',
  GoTo: 'goto.com gotomeeting.com gotowebinar.com logmein.com gotomypc.com logmeininc.com getgo.com',
  Guildwars: 'guildwars.com guildwars2.com arena.net arenanetworks.com',
  HBO: 'hbo.com hbomax.com hbonow.com hbogo.com max.com',
  Heroes_of_the_Storm: 'heroesofthestorm.com',
  HotspotShield: 'hotspotshield.com hsselite.com anchorfree.com anchorfree.net',
  Huawei: 'huawei.com hicloud.com vmall.com dbankcloud.com',
  HuaweiCloud: 'huaweicloud.com myhuaweicloud.com',
  Hulu: 'hulu.com hulustream.com huluim.com',
  i3D: 'i3d.net',
  iCloudPrivateRelay: 'mask.icloud.com mask-h2.icloud.com mask-api.icloud.com',
  IFLIX: 'iflix.com',
  iHeartRadio: 'iheart.com iheartradio.com',
  IMO: 'imo.im',
  Instagram: 'instagram.com cdninstagram.com ig.me',
  iQIYI: 'iqiyi.com iq.com qiyi.com iqiyipic.com',
  KakaoTalk: 'kakao.com kakaocdn.net kakao.co.kr',
  LastFM: 'last.fm lastfm.com lastfm.freetls.fastly.net',
  Likee: 'likee.video like.video likeevideo.com',
  Line: 'line.me line-apps.com line-scdn.net naver.jp',
  Linkedin: 'linkedin.com licdn.com lnkd.in',
  Livestream: 'livestream.com new.livestream.com',
  LoLWildRift: 'wildrift.leagueoflegends.com',
  MapleStory: 'maplestory.com nexon.net nexon.com',
  Mastodon: 'mastodon.social mastodon.online mstdn.jp mstdn.social joinmastodon.org',
  MerakiCloud: 'meraki.com network-auth.com',
  Microsoft: 'microsoft.com live.com msn.com bing.com microsoftonline.com msftconnecttest.com s-microsoft.com',
  Microsoft365: 'office.com office365.com office.net sharepoint.com microsoft365.com officeapps.live.com',
  Mining:
    'nicehash.com minergate.com f2pool.com antpool.com ethermine.org nanopool.org 2miners.com poolin.com slushpool.com ' +
    'viabtc.com moneroocean.stream hashvault.pro',
  MS_OneDrive: 'onedrive.com onedrive.live.com 1drv.com 1drv.ms livefilestore.com storage.live.com',
  Mullvad: 'mullvad.net',
  NestLogSink: 'logsink.devices.nest.com',
  NetEaseGames: 'netease.com easebar.com neteasegames.com 163.com',
  Netflix: 'netflix.com nflxvideo.net nflximg.net nflxext.com nflxso.net netflix.net',
  Nintendo: 'nintendo.com nintendo.net nintendo.co.jp',
  Ntop: 'ntop.org',
  Nvidia: 'nvidia.com',
  Ookla: 'speedtest.net ookla.com ooklaserver.net',
  OpenDNS: 'opendns.com umbrella.com',
  OperaVPN: 'surfeasy.com sec-tunnel.com',
  Outlook: 'outlook.com outlook.office.com outlook.office365.com outlook.live.com hotmail.com',
  Pandora: 'pandora.com p-cdn.com',
  Pastebin: 'pastebin.com',
  PathofExile: 'pathofexile.com poecdn.com',
  Pinterest: 'pinterest.com pinimg.com pin.it',
  Playstation: 'playstation.com playstation.net sonyentertainmentnetwork.com',
  PlayStore: 'play.google.com play.googleapis.com android.clients.google.com play-fe.googleapis.com',
  Pluralsight: 'pluralsight.com',
  PrivateInternetAccess: 'privateinternetaccess.com piaproxy.net',
  ProtonVPN: 'protonvpn.com protonvpn.ch protonvpn.net vpn-api.proton.me',
  Psiphon: 'psiphon.ca psiphon3.com',
  QQ: 'qq.com qpic.cn qlogo.cn',
  Reddit: 'reddit.com redd.it redditmedia.com redditstatic.com',
  RiotGames: 'riotgames.com leagueoflegends.com playvalorant.com riotcdn.net pvp.net',
  RipeAtlas: 'atlas.ripe.net',
  Roblox: 'roblox.com rbxcdn.com',
  Salesforce: 'salesforce.com force.com salesforceliveagent.com visualforce.com',
  Showtime: 'showtime.com sho.com showtimeanytime.com',
  Signal: 'signal.org whispersystems.org textsecure-service.whispersystems.org',
  Sina: 'sina.com.cn sina.com sinaimg.cn',
  SinaWeibo: 'weibo.com weibo.cn weibocdn.com',
  SiriusXMRadio: 'siriusxm.com',
  Skype_Teams: 'skype.com skypeassets.com skype.net lync.com',
  Slack: 'slack.com slack-edge.com slack-msgs.com slack-files.com slack-imgs.com slackb.com',
  Snapchat: 'snapchat.com snap.com sc-cdn.net snap-dev.net',
  SoundCloud: 'soundcloud.com sndcdn.com',
  Spotify: 'spotify.com scdn.co spotifycdn.com spotifycdn.net pscdn.co',
  StarCraft: 'starcraft.com starcraft2.com',
  Steam: 'steampowered.com steamcommunity.com steamstatic.com steamcontent.com steamusercontent.com steamserver.net',
  Syncthing: 'syncthing.net',
  Tailscale: 'tailscale.com tailscale.io ts.net',
  Teams: 'teams.microsoft.com teams.live.com teams.cloud.microsoft teams.cdn.office.net',
  TeamSpeak: 'teamspeak.com',
  TeamViewer: 'teamviewer.com teamviewer.cn dyngate.com',
  Telegram: 'telegram.org t.me telegram.me telegram-cdn.org telesco.pe tdesktop.com telegra.ph',
  Tencent: 'tencent.com gtimg.com gtimg.cn qcloud.com myqcloud.com',
  TencentGames: 'tencentgames.com proximabeta.com levelinfinite.com',
  TencentVideo: 'v.qq.com video.qq.com wetv.vip',
  TES_Online: 'elderscrollsonline.com',
  TeslaServices: 'tesla.com teslamotors.com tesla.services',
  Threads: 'threads.net threads.com',
  Threema: 'threema.ch threema.com',
  Tidal: 'tidal.com tidalhifi.com wimpmusic.com',
  TikTok: 'tiktok.com tiktokcdn.com tiktokv.com musical.ly ibyteimg.com byteoversea.com ttwstatic.com tiktokcdn-us.com',
  TiVoConnect: 'tivo.com',
  TocaBoca: 'tocaboca.com',
  Tor: 'torproject.org torproject.net',
  TruPhone: 'truphone.com',
  Tumblr: 'tumblr.com',
  TuneIn: 'tunein.com',
  TunnelBear: 'tunnelbear.com polargrizzly.com',
  TuyaLP: 'tuyaeu.com tuyaus.com tuyacn.com',
  Twitch: 'twitch.tv ttvnw.net jtvnw.net twitchcdn.net twitchsvc.net',
  Twitter: 'twitter.com x.com twimg.com t.co',
  UbuntuONE: 'one.ubuntu.com login.ubuntu.com',
  UltraSurf: 'ultrasurf.us ultrareach.com',
  Viber: 'viber.com vibercdn.com',
  Vimeo: 'vimeo.com vimeocdn.com',
  VK: 'vk.com vk.ru vk.me vkontakte.ru userapi.com vk-cdn.net vkuser.net vkvideo.ru',
  VMware: 'vmware.com',
  Vudu: 'vudu.com',
  Waze: 'waze.com',
  Webex: 'webex.com ciscospark.com wbx2.com',
  WeChat: 'wechat.com weixin.qq.com wx.qq.com servicewechat.com wechatapp.com',
  WhatsApp: 'whatsapp.com whatsapp.net wa.me',
  WhatsAppFiles: 'mmg.whatsapp.net media.whatsapp.com',
  Wikipedia: 'wikipedia.org wikimedia.org wiktionary.org wikidata.org mediawiki.org',
  WindowsUpdate:
    'windowsupdate.com update.microsoft.com delivery.mp.microsoft.com download.microsoft.com do.dsp.mp.microsoft.com',
  WorldOfWarcraft: 'worldofwarcraft.com battle.net blizzard.com',
  Xbox: 'xbox.com xboxlive.com xboxservices.com',
  Xiaomi: 'xiaomi.com mi.com miui.com xiaomi.net',
  Yahoo: 'yahoo.com yimg.com yahooapis.com',
  Yandex: 'yandex.ru yandex.com yandex.net ya.ru yastatic.net',
  YandexCloud: 'yandexcloud.net cloud.yandex.ru cloud.yandex.net storage.yandexcloud.net yandex.cloud',
  YandexDirect: 'direct.yandex.ru an.yandex.ru bs.yandex.ru yabs.yandex.ru',
  YandexDisk: 'disk.yandex.ru disk.yandex.com yadi.sk downloader.disk.yandex.ru disk.yandex.net',
  YandexMail: 'mail.yandex.ru mail.yandex.com imap.yandex.ru smtp.yandex.ru pop.yandex.ru',
  YandexMarket: 'market.yandex.ru m.market.yandex.ru',
  YandexMetrika: 'mc.yandex.ru mc.yandex.com metrika.yandex.ru appmetrica.yandex.ru appmetrica.yandex.com',
  YandexMusic: 'music.yandex.ru music.yandex.com music.yandex.net',
  YouTube: 'youtube.com googlevideo.com ytimg.com youtu.be youtube-nocookie.com youtubei.googleapis.com',
  YouTubeUpload: 'upload.youtube.com upload.video.google.com studio.youtube.com',
  Zattoo: 'zattoo.com',
  Zoom: 'zoom.us zoom.com zoomgov.com zoom.com.cn',
}

/** The names that a service lists, by the name of the service. */
export const serviceDomains: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(listed).map(([name, domains]) => [name, domains.split(' ')]),
)

const fields = [
  { protocol: 'tls', keyword: 'tls.sni', direction: 'flow:to_server; ', refusal: 'reject' },
  { protocol: 'quic', keyword: 'quic.sni', direction: '', refusal: 'drop' },
  { protocol: 'http', keyword: 'http.host', direction: 'flow:to_server; ', refusal: 'reject' },
  { protocol: 'dns', keyword: 'dns.query', direction: '', refusal: 'drop' },
] as const

const isBelow = (name: string, domain: string): boolean => name.endsWith(`.${domain}`)

/** Names below the domain that other services list. A name below another of them is covered by it. */
function foreignBelow(service: string, domain: string): readonly string[] {
  const foreign = [...serviceDomains].flatMap(([other, domains]) =>
    other === service ? [] : domains.filter((name) => isBelow(name, domain)),
  )
  return foreign.filter((name) => !foreign.some((wider) => isBelow(name, wider)))
}

/** A name below another of the same service needs no pattern, unless a foreign name lies between them. */
const isCovered = (service: string, domain: string, domains: readonly string[]): boolean =>
  domains.some(
    (wider) => isBelow(domain, wider) && !foreignBelow(service, wider).some((foreign) => isBelow(domain, foreign)),
  )

/** Four patterns for each name. In HTTP and DNS the engine gives names in lower case, in TLS as the client wrote them. */
export function namePatterns(service: string): readonly Pattern[] {
  const domains = serviceDomains.get(service) ?? []
  return domains
    .filter((domain) => !isCovered(service, domain, domains))
    .flatMap((domain) => {
      const except = foreignBelow(service, domain).map((name) => ` content:!".${name}"; nocase; endswith;`)
      const match = `dotprefix; content:".${domain}"; nocase; endswith;${except.join('')}`
      return fields.map(({ protocol, keyword, direction, refusal }) => ({
        protocol,
        refusal,
        options: `${direction}${keyword}; ${match}`,
      }))
    })
}
