// What the sentences of an answer were made of, so that they can be shown in another language.

import { adopt, type Sentence } from '@gateway/server/shared/said'

interface Speaking {
  readonly sentences?: readonly Sentence[]
}

const isSpeaking = (value: unknown): value is Speaking => typeof value === 'object' && value !== null

const take = (value: unknown): void => {
  if (isSpeaking(value) && Array.isArray(value.sentences)) adopt(value.sentences)
}

/** The answer as it is. It, its entries, or the entries of a list in it may carry sentences. */
export function withSentences<T>(answer: T): T {
  take(answer)
  const lists = Array.isArray(answer) ? [answer] : isSpeaking(answer) ? Object.values(answer).filter(Array.isArray) : []
  for (const list of lists) if (isSpeaking(list[0]) && 'sentences' in list[0]) list.forEach(take)
  return answer
}
