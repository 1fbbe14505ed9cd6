// Search engines whose filtered results have a separate name: asked for one of the names on the left, the server
// answers with the one on the right, as each of them documents for networks that want it.

const endings = (text: string): string[] => text.trim().split(/\s+/)

const google = endings(`
  com ad ae com.af com.ag al am co.ao com.ar as at com.au az ba com.bd be bf bg com.bh bi bj com.bn com.bo com.br
  bs bt co.bw by com.bz ca cat cd cf cg ch ci co.ck cl cm cn com.co co.cr com.cu cv com.cy cz de dj dk dm com.do
  dz com.ec ee com.eg es com.et fi com.fj fm fr ga ge gg com.gh com.gi gl gm gr com.gt gy com.hk hn hr ht hu co.id
  ie co.il im co.in iq is it je com.jm jo co.jp co.ke com.kh ki kg co.kr com.kw kz la com.lb li lk co.ls lt lu lv
  com.ly co.ma md me mg mk ml com.mm mn com.mt mu mv mw com.mx com.my co.mz com.na com.ng com.ni ne nl no com.np
  nr nu co.nz com.om com.pa com.pe com.pg com.ph com.pk pl pn com.pr ps pt com.py com.qa ro rs ru rw com.sa com.sb
  sc se com.sg sh si sk com.sl sn so sm sr st com.sv td tg co.th com.tj tl tm tn to com.tr tt com.tw co.tz com.ua
  co.ug co.uk com.uy co.uz com.vc co.ve co.vi com.vn vu ws co.za co.zm co.zw
`)
const yandex = endings('ru com by kz uz ua com.tr az com.am com.ge co.il fr eu md tj tm')

interface Service {
  readonly names: readonly string[]
  readonly target: string
}

const services: readonly Service[] = [
  { names: google.map((ending) => `www.google.${ending}`), target: 'forcesafesearch.google.com' },
  {
    names: [...yandex.flatMap((ending) => [`yandex.${ending}`, `www.yandex.${ending}`]), 'ya.ru', 'www.ya.ru'],
    target: 'familysearch.yandex.ru',
  },
  {
    names: [
      'www.youtube.com',
      'm.youtube.com',
      'www.youtube-nocookie.com',
      'youtubei.googleapis.com',
      'youtube.googleapis.com',
    ],
    target: 'restrict.youtube.com',
  },
  { names: ['www.bing.com', 'bing.com'], target: 'strict.bing.com' },
  { names: ['duckduckgo.com', 'www.duckduckgo.com', 'start.duckduckgo.com'], target: 'safe.duckduckgo.com' },
  { names: ['api.qwant.com'], target: 'safeapi.qwant.com' },
  { names: ['pixabay.com', 'www.pixabay.com'], target: 'safesearch.pixabay.com' },
]

/** A name and its target, without final dots. */
export const safeNames: readonly (readonly [name: string, target: string])[] = services.flatMap(({ names, target }) =>
  names.map((name) => [name, target] as const),
)
