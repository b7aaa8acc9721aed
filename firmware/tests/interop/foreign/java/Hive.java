import com.hivemq.embedded.EmbeddedHiveMQ;
import java.nio.file.Files;
import java.nio.file.Path;

/** The MQTT broker HiveMQ Community Edition: Hive PORT FOLDER. */
final class Hive {
    private static final String CONFIGURATION = """
        <?xml version="1.0"?>
        <hivemq>
          <listeners><tcp-listener><port>%s</port><bind-address>0.0.0.0</bind-address></tcp-listener></listeners>
          <mqtt><queued-messages><max-queue-size>100000</max-queue-size></queued-messages></mqtt>
          <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
        </hivemq>
        """;

    public static void main(String[] words) throws Exception {
        Path folder = Path.of(words[1]);
        for (String name : new String[] {"conf", "data", "extensions"}) {
            Files.createDirectories(folder.resolve(name));
        }
        Files.writeString(folder.resolve("conf/config.xml"), CONFIGURATION.formatted(words[0]));
        EmbeddedHiveMQ broker = EmbeddedHiveMQ.builder()
            .withConfigurationFolder(folder.resolve("conf"))
            .withDataFolder(folder.resolve("data"))
            .withExtensionsFolder(folder.resolve("extensions"))
            .build();
        broker.start().join();
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
