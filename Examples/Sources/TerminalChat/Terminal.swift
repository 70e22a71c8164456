import Foundation

/// Lines that come in and go out.
struct Terminal: Sendable {
    private let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1

    /// What is typed, until it ends. Reading waits, so it has a thread of its own.
    func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() {
                    // The message is shown once it is in the room: what was typed of it goes.
                    if self.isInteractive { self.write("\u{1B}[1A\u{1B}[2K") }
                    continuation.yield(line)
                }
                continuation.finish()
            }
        }
    }

    /// Control characters are left out, since a terminal would obey those that others have sent.
    func show(_ line: String) {
        let shown = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
        self.write(String(String.UnicodeScalarView(shown)) + "\n")
    }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
