// How long is left, in the unit that a person would say.

import { t } from '../../words.ts'

export const waitWords = (seconds: number): string =>
  seconds > 90
    ? t('{minutes, plural, one {# minute} other {# minutes}}', { minutes: Math.ceil(seconds / 60) })
    : t('{seconds, plural, one {# second} other {# seconds}}', { seconds })
