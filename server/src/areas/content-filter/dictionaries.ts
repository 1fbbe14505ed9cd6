// The predefined dictionaries: narcotics, pornography, obscene language, terrorism. Their words come with the release and
// are never stored; an administrator can only enable and disable them.

import type { Dictionary } from './contract-dictionaries.ts'

const threshold = 100

/** The weight of an import line without a weight (docs/behaviour/content-filter.md 4.5). */
const usual = 20
/** Three such words on a page reach the threshold. */
const strong = 40

const predefined = (
  id: string,
  title: string,
  strongWords: readonly string[],
  usualWords: readonly string[],
): Dictionary => ({
  id,
  title,
  comment: 'Predefined.',
  enabled: false,
  threshold,
  words: [
    ...strongWords.map((value) => ({ value, weight: strong })),
    ...usualWords.map((value) => ({ value, weight: usual })),
  ],
})

export const predefinedDictionaries: readonly Dictionary[] = [
  predefined(
    'predefined_narcotics',
    'Narcotics',
    [
      'buy cocaine',
      'buy heroin',
      'buy mephedrone',
      'crystal meth',
      'drug shop',
      'order drugs',
      'synthetic cannabinoid',
    ],
    [
      'amphetamine',
      'cocaine',
      'crack cocaine',
      'drug dealer',
      'ecstasy pill',
      'fentanyl',
      'heroin',
      'ketamine',
      'LSD',
      'MDMA',
      'mephedrone',
      'methadone',
      'methamphetamine',
      'psilocybin',
    ],
  ),
  predefined(
    'predefined_pornography',
    'Pornography',
    ['free porn', 'hardcore porn', 'live sex cam', 'porn video', 'porno', 'sex video', 'xxx video'],
    [
      'adult video',
      'anal sex',
      'blowjob',
      'erotic massage',
      'escort girl',
      'hentai',
      'nude girls',
      'oral sex',
      'webcam girls',
    ],
  ),
  predefined(
    'predefined_obscene_language',
    'Obscene language',
    ['cunt', 'fuck', 'fucking', 'motherfucker'],
    ['arsehole', 'asshole', 'bastard', 'bitch', 'bollocks', 'bullshit', 'dickhead', 'shit', 'wanker', 'whore'],
  ),
  predefined(
    'predefined_terrorism',
    'Terrorism',
    ['bomb making', 'explosive belt', 'join the caliphate', 'make a bomb', 'martyrdom operation', 'suicide vest'],
    [
      'beheading video',
      'bombing',
      'car bomb',
      'detonator',
      'hostage',
      'improvised explosive device',
      'jihad',
      'suicide bomber',
      'terrorist attack',
      'terrorist cell',
    ],
  ),
]
