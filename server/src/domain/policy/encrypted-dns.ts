// Well-known servers of DNS over HTTPS. It looks like any other HTTPS, so to answer all queries
// the gateway has to know the servers: their names are not resolved and their addresses are not reached on port 443.

/** Firefox asks for this one, and leaves DNS to the system when it does not exist. */
const canary = 'use-application-dns.net'

export const encryptedDnsNames: readonly string[] = [
  canary,
  // Asked by Apple's private relay, which then steps back.
  ...['mask.icloud.com', 'mask-h2.icloud.com'],
  ...['dns.google', 'dns64.dns.google', 'dns.google.com'],
  ...['cloudflare-dns.com', 'mozilla.cloudflare-dns.com', 'chrome.cloudflare-dns.com', 'one.one.one.one'],
  ...['1dot1dot1dot1.cloudflare-dns.com', 'security.cloudflare-dns.com', 'family.cloudflare-dns.com'],
  ...['dns.quad9.net', 'dns9.quad9.net', 'dns10.quad9.net', 'dns11.quad9.net'],
  ...['doh.opendns.com', 'doh.familyshield.opendns.com', 'doh.umbrella.com', 'dns.umbrella.com'],
  ...['dns.adguard.com', 'dns.adguard-dns.com', 'family.adguard-dns.com', 'unfiltered.adguard-dns.com'],
  ...['doh.cleanbrowsing.org', 'dns.nextdns.io', 'firefox.dns.nextdns.io', 'doh.dns.sb', 'dns.controld.com'],
  ...['freedns.controld.com', 'doh.mullvad.net', 'dns.mullvad.net', 'dns.alidns.com', 'doh.pub', 'dns.pub'],
  ...[
    'common.dot.dns.yandex.net',
    'dns.yandex.ru',
    'doh.xfinity.com',
    'dns.twnic.tw',
    'dns0.eu',
    'dns.digitale-gesellschaft.ch',
  ],
]

export const encryptedDnsAddresses: readonly string[] = [
  ...['8.8.8.8', '8.8.4.4'],
  ...['1.1.1.1', '1.0.0.1', '1.1.1.2', '1.0.0.2', '1.1.1.3', '1.0.0.3'],
  ...['9.9.9.9', '149.112.112.112', '9.9.9.10', '149.112.112.10', '9.9.9.11', '149.112.112.11'],
  ...['208.67.222.222', '208.67.220.220', '208.67.222.123', '208.67.220.123'],
  ...['94.140.14.14', '94.140.15.15', '94.140.14.15', '94.140.15.16', '94.140.14.140', '94.140.14.141'],
  ...['185.228.168.9', '185.228.169.9', '185.228.168.168', '185.228.169.168'],
  ...['45.90.28.0', '45.90.30.0', '76.76.2.0', '76.76.10.0', '185.222.222.222', '45.11.45.11'],
  ...['194.242.2.2', '194.242.2.3', '194.242.2.4', '77.88.8.8', '77.88.8.1', '77.88.8.88', '77.88.8.2'],
  ...['223.5.5.5', '223.6.6.6', '193.110.81.0', '185.253.5.0'],
]
