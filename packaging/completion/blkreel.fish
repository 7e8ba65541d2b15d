# SPDX-License-Identifier: MIT
# Completion for fish. 'blkreel --complete' knows the words.
function __blkreel_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':file'
                __fish_complete_path (commandline -ct)
            case ':command'
                __fish_complete_command
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c blkreel -f -a '(__blkreel_complete)'
