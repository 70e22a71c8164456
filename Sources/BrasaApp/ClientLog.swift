internal import Foundation
internal import Synchronization

/// Lines of one library for whoever runs the program, on standard error.
package final class ClientLog: Sendable {
    private let library: String
    private let isDetailed = Atomic(false)

    package init(_ library: String) {
        self.library = library
    }

    package func setDetailed(_ isDetailed: Bool) {
        self.isDetailed.store(isDetailed, ordering: .relaxed)
    }

    /// What somebody should know.
    package func notice(_ line: @autoclosure () -> String) {
        // Nobody may be there to read it.
        try? FileHandle.standardError.write(contentsOf: Data("\(self.library): \(line())\n".utf8))
    }

    /// What helps to find out why something happens. Nothing unless it was asked for.
    package func debug(_ line: @autoclosure () -> String) {
        if self.isDetailed.load(ordering: .relaxed) { self.notice(line()) }
    }

    /// For mistakes that stand in the program's text. Release builds leave the text of a failed precondition out, so it is
    /// written first.
    package func stop(_ mistake: String) -> Never {
        self.notice("stopped by a mistake in the program: \(mistake)")
        preconditionFailure(mistake)
    }
}
