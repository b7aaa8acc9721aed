import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import org.eclipse.californium.core.CoapClient;
import org.eclipse.californium.core.CoapHandler;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.CoapResponse;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.coap.MediaTypeRegistry;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.server.resources.CoapExchange;
import org.eclipse.californium.core.server.resources.Resource;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;

/** Californium: Coap serve PORT, or Coap send ADDRESS COUNT (confirmable POSTs to /a). */
final class Coap {
    private static final int PARALLEL = 8;

    /** Takes a POST to any path. */
    private static final class Sink extends CoapResource {
        Sink() {
            super("");
        }

        @Override
        public Resource getChild(String name) {
            return this;
        }

        @Override
        public void handlePOST(CoapExchange exchange) {
            String line = new String(exchange.getRequestPayload(), StandardCharsets.ISO_8859_1);
            synchronized (System.out) {
                System.out.println(line);
            }
            exchange.respond(CoAP.ResponseCode.CHANGED);
        }
    }

    private static void serve(Configuration settings, int port) {
        CoapServer server = new CoapServer(settings) {
            @Override
            protected Resource createRoot() {
                return new Sink();
            }
        };
        InetSocketAddress place = new InetSocketAddress("0.0.0.0", port);
        server.addEndpoint(
            new CoapEndpoint.Builder().setConfiguration(settings).setInetSocketAddress(place).build());
        server.start();
        System.out.println("ready");
    }

    private static void send(Configuration settings, String address, int count) throws Exception {
        CoapEndpoint endpoint = new CoapEndpoint.Builder().setConfiguration(settings).build();
        CoapClient client = new CoapClient("coap://" + address + "/a");
        client.setEndpoint(endpoint);
        Semaphore places = new Semaphore(PARALLEL);
        CoapHandler handler = new CoapHandler() {
            @Override
            public void onLoad(CoapResponse response) {
                places.release();
            }

            @Override
            public void onError() {
                System.err.println("a request failed");
                System.exit(1);
            }
        };
        for (int seq = 0; seq < count; seq++) {
            places.acquire();
            StringBuilder payload = new StringBuilder("peer1 " + seq + " 1 ");
            while (payload.length() < 30) {
                payload.append('.');
            }
            client.post(handler, payload.toString(), MediaTypeRegistry.TEXT_PLAIN);
        }
        places.acquire(PARALLEL);
        System.exit(0);
    }

    public static void main(String[] words) throws Exception {
        CoapConfig.register();
        UdpConfig.register();
        Configuration settings = Configuration.createStandardWithoutFile();
        if (words[0].equals("serve")) {
            serve(settings, Integer.parseInt(words[1]));
            Thread.currentThread().join();
        } else {
            send(settings, words[1], Integer.parseInt(words[2]));
        }
    }
}
