import ArgumentParser
import BrasaLog
import BrasaPlatform
import Foundation

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify a data folder that no server runs on, and say what it holds.",
        discussion: "Reads every byte and changes nothing. Ends with status 1 when the folder is damaged."
    )

    @Argument(help: "The data folder.")
    var directory: String

    func run() throws {}
}
