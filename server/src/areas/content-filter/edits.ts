// Changes of dictionaries. Predefined ones are not stored: an administrator can only enable and disable them.

import { GatewayError, notFound } from '../../core/contract/error.ts'
import { addTo, builtIn, itemsIn, type ReferencesTo, removeFrom, updateIn } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { dictionaries, isPredefined, showDictionaries } from './config.ts'
import type { Dictionary, DictionaryPatch, ShownDictionary } from './contract-dictionaries.ts'
import { predefinedDictionaries } from './dictionaries.ts'
import { dictionaryList } from './lists.ts'

export function updateDictionary(config: Config, id: string, patch: DictionaryPatch): Config {
  const predefined = predefinedDictionaries.find((dictionary) => dictionary.id === id)
  return predefined ? switchPredefined(config, predefined, patch) : updateIn(config, dictionaryList, id, patch)
}

/** A value that is sent back as it was read is not a change. */
function switchPredefined(config: Config, predefined: Dictionary, { enabled, ...others }: DictionaryPatch): Config {
  const { words, ...plain } = others
  const changed = Object.entries(plain)
    .filter(([name, value]) => value !== predefined[name as keyof typeof plain])
    .map(([name]) => name)
  if (words && !areSame(words, predefined.words)) changed.push('words')
  if (changed.length > 0) {
    const message = say`Only enabled can be changed in a predefined dictionary.`
    throw new GatewayError('conflict', message, { problems: changed.map((field) => ({ field, message })) })
  }
  const stored = itemsIn(config, dictionaryList).find(({ id }) => id === predefined.id)
  if (enabled === undefined || enabled === (stored?.enabled ?? false)) return config
  return stored
    ? updateIn(config, dictionaryList, predefined.id, { enabled })
    : addTo(config, dictionaryList, predefined.id, { ...predefined, words: [], enabled })
}

const areSame = (words: Dictionary['words'], others: Dictionary['words']): boolean =>
  words.length === others.length &&
  words.every(({ value, weight }, index) => value === others[index]?.value && weight === others[index]?.weight)

export function removeDictionary(config: Config, id: string, referencesTo: ReferencesTo): Config {
  if (isPredefined(id)) throw builtIn(`dictionary ${id}`)
  return removeFrom(config, dictionaryList, id, referencesTo)
}

export function requireDictionary(config: Config, id: string): ShownDictionary {
  const dictionary = showDictionaries(read(config, dictionaries)).find((candidate) => candidate.id === id)
  if (!dictionary) throw notFound(say`${sayText(dictionaryList.noun)} with the id ${id.slice(0, 80)}`)
  return dictionary
}
