import Foundation

/// Where the board stands: redrawn in place on a terminal, one below the other in a file.
struct Screen {
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    func draw(_ text: String) {
        let clear = "\u{1B}[H\u{1B}[2J"
        FileHandle.standardOutput.write(Data((self.isTerminal ? clear + text : text + "\n").utf8))
    }
}
