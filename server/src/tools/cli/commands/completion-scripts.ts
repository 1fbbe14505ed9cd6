// gw completion: scripts that teach a shell to ask `gw __complete`. The knowledge stays in completion.ts; the scripts
// only pass words there and back.

import type { Run } from '../command.ts'
import { badUsage, exitCodes } from '../failure.ts'

/** Bash breaks words at = and :, so the line is split again and the part bash already has is removed. */
const bash = `# Completion of gw for bash:  source <(gw completion bash)
_gw() {
  local line=\${COMP_LINE:0:COMP_POINT} word keep text
  local -a words
  read -r -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word=\${words[-1]}
  keep=\${word%"\${word##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r text _; do
    [[ $text == *[=/,] ]] && compopt -o nospace
    COMPREPLY+=("\${text#"$keep"}")
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o nosort -F _gw gw
`

const zsh = `#compdef gw
# Completion of gw for zsh:  source <(gw completion zsh)
_gw() {
  local line text about
  local -a whole wholeAbout open openAbout
  while IFS=$'\\t' read -r text about; do
    line="$text\${about:+  -- $about}"
    if [[ $text == *[=/,] ]]; then
      open+=("$text"); openAbout+=("$line")
    else
      whole+=("$text"); wholeAbout+=("$line")
    fi
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#whole )) && compadd -l -d wholeAbout -a whole
  (( $#open )) && compadd -S '' -l -d openAbout -a open
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _gw "$@"; else compdef _gw gw; fi
`

const fish = `# Completion of gw for fish:  gw completion fish > ~/.config/fish/completions/gw.fish
function __gw_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    $words[1] __complete $words[2..-1] "$typed" 2>/dev/null
end
complete -c gw -f -a '(__gw_complete)'
`

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }

export const completionCommand: Run = async (invocation, { terminal }) => {
  const [shell = ''] = invocation.operands
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined)
    throw badUsage(`There is no completion script for "${shell}". Use one of: ${Object.keys(scripts).join(', ')}.`)
  terminal.out(script)
  return exitCodes.done
}
