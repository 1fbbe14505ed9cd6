// Which category a folder of a public list is: the one table of names. A folder may also have the name of a category itself
// ("Social networks", social-networks, social_networks).

import { fixedCategories } from './catalogue.ts'

/** Names of folders in public lists, by the category of the catalogue. A slash: the folder above counts too. */
const publicNames: Readonly<Record<string, string>> = {
  Alcohol: 'alcohol',
  Anonymizers:
    'proxy proxies anonvpn vpn anonymizer redirector strict_redirector strong_redirector residential-proxies doh',
  'Astrology and horoscopes': 'astrology',
  'Audio streaming and download': 'webradio radio podcasts audio',
  'Auctions and marketplaces': 'auctions marketplaces',
  Banks: 'bank banking finance/banking',
  'Web hosting, providers and telecoms': 'webhosting isp',
  Webmail: 'mail email',
  Hacking: 'hack hacker ddos',
  'Video streaming and download': 'audio-video video webtv streaming',
  'Military and weapons': 'weapons dangerous_material',
  'Armed forces': 'military',
  'Ready-made homework': 'tricheur tricheur_pix cheater',
  'Home, garden and family': 'homestyle cleaning',
  Pets: 'recreation/pets hobby/pets',
  'Food and restaurants': 'cooking hobby/cooking recreation/restaurants',
  'Legislation and politics': 'politics government law',
  'Parked domains': 'parked reaffected',
  'Healthcare and medicine': 'health hospitals medical',
  Dating: 'dating_and_personals',
  'Internet and IP telephony': 'webphone voip',
  'Online shops': 'shopping',
  'Casinos, lotteries, betting': 'gambling gamble arjel casino lottery betting',
  'Computer games': 'games educational_games hobby/games-online hobby/games-misc online-games',
  'Content servers': 'cdn updatesites update',
  'Criminal skills': 'crime',
  Swimwear: 'lingerie sex/lingerie',
  'Literature and books': 'library jstor books',
  'Instant messaging': 'im instant_messengers messenger',
  'Mobile phones': 'mobile-phone ringtones',
  'Fashion and beauty': 'fashion models',
  Music: 'music',
  'Cartoons, anime and comics': 'manga anime comics',
  Drugs: 'drogue drug',
  Violence: 'aggressive agressif hate',
  'Real estate': 'finance/realestate',
  'Non-traditional religions and occult': 'sect cults occult',
  News: 'press newspapers',
  'Hardware, software, electronics': 'download downloads software',
  'Education and educational institutions': 'education education/schools schools',
  'Online advertising and banners': 'ads adv advertising publicite ad banners tracker trackers tracking marketingware',
  'Online stock trading': 'finance/trading finance/trading_securities trading',
  Redirection: 'shortener urlshortener url_shortener',
  Translators: 'translation translators',
  'Personal pages and blogs': 'blog blogs',
  'Piracy and copyright theft': 'warez piracy',
  'Peer-to-peer networks': 'p2p',
  'Job search': 'jobsearch jobs',
  'Image search engines': 'imagesearch',
  'Search engines': 'searchengines search search_engine',
  Pornography: 'adult porn mixed_adult nsfw',
  'Entertainment news and celebrities': 'celebrity celebrities gossip',
  Religions: 'religion associations_religieuses',
  'Sites for children': 'child children kids',
  'Sex education': 'sexual_education sex/education',
  Compromised: 'hacked',
  'Social networks': 'socialnet social social_network',
  Spam: 'junk',
  Sport: 'sports recreation/sports',
  Insurance: 'finance/insurance',
  'Covert data gathering': 'stalkerware telemetry',
  'Television and films': 'movies radiotv tv',
  'Technology (general)': 'technology science',
  'Torrent trackers': 'torrents torrent',
  Vehicles: 'automobile cars automobile/cars automobile/bikes recreation/vehicles',
  Tourism: 'travel recreation/travel',
  'Remote access': 'remote-control remotecontrol',
  'File storage': 'cloud_storage',
  'File sharing': 'filehosting filesharing file_hosting',
  'Finance (general)': 'financial finance bitcoin cryptocurrency finance/other',
  'Phishing and fraud': 'phishing fraud scam fakenews',
  Forums: 'forum',
  'Photo galleries': 'imagehosting images photos',
  'Hobbies and leisure': 'hobby recreation/humor_hobby hobbies',
  'Malware distribution': 'malware virus viruses virusinfected cryptojacking ransomware',
  'Command and control centres': 'botnet cnc c2 command_and_control',
  Chats: 'chat',
  'Spyware and questionable software': 'spyware adware dialer dialers',
  Extremism: 'terrorism extremist',
  Erotica: 'sex sex/lustful erotic',
  Humour: 'humor recreation/humor jokes',
  'AI chat bots': 'ai chatbots llm',
}

/** As a folder is compared, whatever a list uses between words (domain/web-filter/categories/folders.ts). */
const keyOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')

/** The name of a category as part of a host name: `casinos-lotteries-betting`. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** Those that sites can be in: topics, without the ones that the provider keeps empty. */
export const topicCategories = fixedCategories.filter(({ type, comment }) => type === 'extended' && comment === '')

/** Ids of categories by names of folders. The name of a category goes before names of public lists. */
export const listFolders: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    topicCategories.flatMap(({ id, name }) =>
      (publicNames[name] ?? '').split(' ').flatMap((folder) => (folder === '' ? [] : [[keyOf(folder), id]])),
    ),
  ),
  ...Object.fromEntries(
    topicCategories.flatMap(({ id, name }) => [
      [keyOf(name), id],
      [keyOf(slugOf(name)), id],
    ]),
  ),
}

/** For the test of the table. */
export const publicFolderNames = publicNames
