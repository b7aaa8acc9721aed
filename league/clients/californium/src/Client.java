import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.californium.core.CoapClient;
import org.eclipse.californium.core.CoapHandler;
import org.eclipse.californium.core.CoapResponse;
import org.eclipse.californium.core.coap.MediaTypeRegistry;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;

/** The league's workload by confirmable POSTs of Eclipse Californium, with its defaults. */
final class Client {
    static {
        CoapConfig.register();
        UdpConfig.register();
    }

    /** Counts the answers, and the requests that the library gives up. */
    private static final class Counter implements CoapHandler {
        final AtomicInteger acknowledged = new AtomicInteger(), refused = new AtomicInteger();

        @Override
        public void onLoad(CoapResponse response) {
            (response.isSuccess() ? acknowledged : refused).incrementAndGet();
        }

        @Override
        public void onError() {
            refused.incrementAndGet();
        }
    }

    private static int number(String name) {
        return Integer.parseInt(System.getenv(name));
    }

    /** The largest resident memory of this process, in KiB. */
    private static String memory() throws Exception {
        String status = Files.readString(Path.of("/proc/self/status"));
        return status.replaceAll("(?s).*VmHWM:\\s+(\\d+).*", "$1");
    }

    public static void main(String[] words) throws Exception {
        int messages = number("MESSAGES"), size = number("PAYLOAD_BYTES"), interval = number("INTERVAL_MS");
        long deadline = System.nanoTime() + (number("DURATION_S") - 1) * 1_000_000_000L;
        Configuration configuration = Configuration.createStandardWithoutFile();
        CoapClient client = new CoapClient("coap://" + words[0] + ":" + words[1] + "/" + words[3]);
        client.setEndpoint(CoapEndpoint.builder().setConfiguration(configuration).build());
        Counter counter = new Counter();
        long longest = 0;
        for (int n = 1; n <= messages; n++) {
            byte[] text = String.format("%-" + size + "d", n).getBytes(StandardCharsets.US_ASCII);
            long before = System.nanoTime();
            client.post(counter, text, MediaTypeRegistry.TEXT_PLAIN);
            longest = Math.max(longest, System.nanoTime() - before);
            Thread.sleep(interval);
        }
        while (counter.acknowledged.get() < messages && System.nanoTime() < deadline) {
            Thread.sleep(100);
        }
        System.out.printf("longest_call_ms=%d memory_kib=%s%n", longest / 1_000_000, memory());
        System.out.printf("acknowledged=%d refused=%d%n", counter.acknowledged.get(), counter.refused.get());
        System.exit(0);
    }
}
