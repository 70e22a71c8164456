import ArgumentParser
import BrasaLog
import BrasaPlatform
import BrasaServer
import BrasaStore

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify a data folder that no server runs on, and say what it holds.",
        discussion: """
            Reads every byte and changes nothing. Ends with status 1 when the folder is damaged or cannot be read, or a \
            server uses it.
            """
    )

    @Argument(help: "The data folder.")
    var directory: String

    func run() throws {
        let inspection: StoreInspection
        do throws(StoreError) {
            inspection = try Store.inspect(disk: RealDisk(), directory: self.directory)
        } catch {
            ProcessSurroundings.complain("cannot check \(self.directory): \(error)")
            throw ExitCode(1)
        }
        let report = CheckReport(inspection)
        report.lines.forEach { print($0) }
        guard report.isSound else {
            report.damageLines.forEach { ProcessSurroundings.complain($0) }
            throw ExitCode(1)
        }
    }
}
